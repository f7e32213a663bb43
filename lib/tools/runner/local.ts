import { resolve } from "node:path";
import {
  type GatewayRequest,
  json,
  type LeadingKeys,
  leadingKeysOptions,
  pathOf,
  type Route,
  type Runner,
  type Site,
  type StartOptions,
} from "cdk-local-runner";
import { Command, Option } from "commander";
import { usualTimes } from "trading-terminal-devnet/evm/chain-times";
import { startRandomTrader, type WatchedToken } from "trading-terminal-devnet/evm/random-trader";
import { chainPorts, type LocalChains, openLocalChains } from "trading-terminal-devnet/local-chains";
import { startSolTrader } from "trading-terminal-devnet/sol/sol-trader";
import { giveTestCoins } from "trading-terminal-devnet/test-coins";
import { portBeside, startVenue } from "trading-terminal-devnet/venue/venue";
import { docsPath, llmsPath } from "../../infra/docs-pages.ts";
import { channelShardsOf } from "../../infra/market-context.ts";
import { marketFollowers } from "../../realtime/connection-records.ts";
import type { Table } from "../../table/table.ts";
import { openLocal } from "../admin/local-target.ts";
import type { LocalPorts } from "../documents/local-addresses.ts";
import { referencePolicy, siteFiles } from "../documents/site/site.ts";
import { showSteps } from "../progress.ts";
import { AUDIENCE, CLIENT_ID, synthesizeTerminal } from "./assembly.ts";
import { coinsRoute } from "./coins-route.ts";
import { consoleReloads, galleryPages } from "./console-pages.ts";
import { explorersFor } from "./explorers.ts";
import { keepAwake } from "./keep-awake.ts";
import { port, portUpTo, runProgram, type Stdio, timeLimit, wholeNumber, withSite } from "./run-program.ts";
import { watchRun } from "./run-state.ts";
import { seedTable, seedWallets } from "./seed-data.ts";
import { staticPages } from "./static-pages.ts";
import { type Stacks, watchTerminal } from "./watch/watch-terminal.ts";
import { welcome } from "./welcome.ts";

type Options = {
  port: number;
  streamPort: number;
  streamIdleTimeout: number;
  streamDuration: number;
  dataDir: string;
  memory?: true;
  empty?: true;
  allowedOrigin: string[];
  livePrices?: true;
  edgeOnly?: true;
  lossSignIn?: true;
  chains: boolean;
  chainPort: number;
  fastBase?: true;
  fastTriggers?: true;
  resetChains?: true;
  trader: boolean;
  explorer: Readonly<Record<string, string>>;
  conflicts?: true;
  leadingKeys: LeadingKeys;
  faults?: true;
  chance: number;
  watch?: true;
};

export type Deps = Stdio & {
  start: (options: StartOptions) => Promise<Runner>;
  /** Calls `stop` when the program must end. */
  stopOnSignal(stop: () => Promise<void>): void;
};

const USER = "alice";
const TOKEN_SECONDS = 3600;

/** Lets the trades of `trade:demo` reach the next level, a place in the leaderboard, and a reward of 500 points. */
const earning = {
  xpPerDollar: 0.1,
  pointsPerDollar: 0.2,
  pointsPerDay: 1000,
  rankedLevel: 2,
  rankedDays: 1,
};

/** Addresses to which the local issuer returns users: the console, and the pages of other allowed origins. */
const signInUrls = (own: readonly string[], allowed: readonly string[]) => [
  ...own.map((origin) => `${origin}/console/`),
  ...allowed.map((origin) => `${origin}/`),
];

/** Runs `npm start`, the service on this machine. If the status is 0, the service runs until it is stopped. */
export function main(args: readonly string[], deps: Deps): Promise<number> {
  const command = new Command("npm start --")
    .description("Runs the service on this machine, without an AWS account.")
    .option("--port <number>", "port of base_url", port, 3000)
    .option("--stream-port <number>", "port of stream_url", port, 3001)
    .option("--stream-idle-timeout <seconds>", "close idle connections, as AWS does", timeLimit, 600)
    .option("--stream-duration <seconds>", "close connections of this age, as AWS does", timeLimit, 7200)
    .option("--data-dir <folder>", "where data, keys and logs are kept", ".terminal")
    .option("--memory", "keep nothing")
    .option("--empty", "start without examples")
    .option("--allowed-origin <origin...>", "web origins that may call the API", ["http://localhost:5173"])
    .option("--live-prices", "prices from Coinbase Exchange and Kraken instead of the simulated venue")
    .option("--loss-sign-in", "require a fresh sign-in for orders that could lose most of their value")
    .option("--edge-only", "refuse requests that bypass base_url, also those to stream_url")
    .option("--no-chains", "run no chains, so that trading is off")
    .option(
      "--chain-port <number>",
      "port of the chain eth; the others have the next ones",
      portUpTo(65_536 - chainPorts),
      8545,
    )
    .option("--fast-base", "make five blocks of base a second, as the real chain does")
    .option("--fast-triggers", "divide the waits of resting orders by ten")
    .addOption(
      new Option(
        "--reset-chains",
        "start new chains, and forget the orders placed on the old ones",
      ).conflicts("chains"),
    )
    .option("--no-trader", "let nobody trade at random on the chains while markets are watched")
    .option("--explorer <chain=site>", "an explorer for the console to link to", withSite, {})
    .option("--conflicts", "let transactions on the table conflict, as on AWS")
    .addOption(
      new Option("--leading-keys <rule>", "the keys that policies see for a part of a transaction")
        .choices(leadingKeysOptions)
        .default("each-part"),
    )
    .option("--faults", "serve /_local/faults, where tests inject failures of services")
    .option("--chance <number>", "seed of conflicts and faults", wholeNumber, 1)
    .option("--watch", "run changed handlers at once (npm run dev)");
  return runProgram<Options>(command, args, deps, (options) => serve(options, deps));
}

async function serve(options: Options, deps: Deps): Promise<void> {
  const { start, stdout, stderr } = deps;
  await using undo = new AsyncDisposableStack();
  // Ends the process at once, because a runner that is still starting needs no orderly stop.
  let stop = async () => {};
  deps.stopOnSignal(() => stop());

  const dataDir = options.memory ? undefined : resolve(options.dataDir);
  const { step, end } = showSteps(stderr);
  const warn = (text: string) => void stderr.write(`${text}\n`);
  const run = watchRun(new Date());
  let stacks: Stacks | undefined;
  let chains: LocalChains | undefined;
  /** Origins of the runner itself. */
  const own = ["127.0.0.1", "localhost"].map((host) => `http://${host}:${options.port}`);

  const runner = await start({
    port: options.port,
    streamPort: options.streamPort,
    streamLimits: {
      idleMs: options.streamIdleTimeout * 1000,
      durationMs: options.streamDuration * 1000,
    },
    conflicts: options.conflicts ?? false,
    leadingKeys: options.leadingKeys,
    faults: options.faults ?? false,
    chance: options.chance,
    audience: AUDIENCE,
    clients: [{ clientId: CLIENT_ID, redirectUris: signInUrls(own, options.allowedOrigin) }],
    dataDir,
    onLog: (entry) => run.note(entry),
    async seed(local) {
      await seedTable(await openLocal(local), { book: chains?.book, examples: !options.empty });
    },
    pages() {
      const urls = chains?.chains.map(({ chain, url }) => [chain, url]) ?? [];
      const hosts = chains?.chains.map((each) => [each.chain, each.hosts]) ?? [];
      const places = { ...Object.fromEntries(urls), ...(chains?.sol && { sol: placesOf(chains.sol) }) };
      const lists = new Map<string, object>([
        ["/chains.json", places],
        ["/hosts.json", { ...Object.fromEntries(hosts), ...(chains?.sol && { sol: chains.sol.context }) }],
      ]);
      const local = { chains: chains?.chains ?? [], sol: chains?.sol };
      const routes = [
        ...(options.watch && stacks ? [consoleReloads(stacks.folder)] : []),
        galleryPages(options.watch ?? false),
        referencePages(options),
        coinsRoute(chains?.context.trading ?? [], (...to) => giveTestCoins(local, ...to)),
      ];
      return (request) => {
        const list = lists.get(pathOf(request));
        if (list !== undefined) return Promise.resolve(json(200, list));
        if (pathOf(request) === "/status.json") return Promise.resolve(json(200, run.state()));
        return firstAnswer(routes, request);
      };
    },
    onStep: step,
    async assembly(site: Site) {
      const context: Record<string, unknown> = {
        // Streams accept the cookie only from pages of these origins.
        allowedOrigins: [...new Set([...options.allowedOrigin, ...own])],
        trading: [],
      };
      if (options.leadingKeys !== "each-part") context.leadingKeys = options.leadingKeys;
      if (options.edgeOnly) context.edgeOnly = true;
      if (options.lossSignIn) context.lossSignIn = true;
      if (options.fastTriggers) context.fastTriggers = true;
      if (!options.livePrices) {
        const venue = await startVenue({ port: portBeside(site.issuer) });
        undo.defer(() => venue.close());
        context.priceFeeds = [{ source: "simulated", venue: "coinbase", url: venue.url }];
      }
      if (options.chains) {
        chains = await openLocalChains({
          port: options.chainPort,
          folder: dataDir,
          reset: options.resetChains ?? false,
          faults: options.faults ?? false,
          seed: options.chance,
          times: options.fastBase ? { base: { ...usualTimes, blockMs: 200 } } : {},
          withPast: options.trader && !options.empty ? ["eth", "base"] : [],
          warn,
        });
        undo.use(chains);
        Object.assign(context, chains.context, { earning });
      }
      context.consoleExplorers = explorersFor(chains?.context.trading ?? [], options.explorer);
      const synthesize = (folder: string) => synthesizeTerminal({ ...site, folder }, context);
      stacks = { ...site, synthesize };
      const [folder] = await Promise.all([synthesize(site.folder), chains?.start()]);
      return folder;
    },
  }).finally(end);
  undo.defer(() => runner.stop());
  const running = undo.move();
  stop = () => running.disposeAsync();

  const { baseUrl, streamUrl } = runner;
  if (chains !== undefined) {
    const { table } = await openLocal(options.port);
    const keeper = keepAwake({
      table,
      chains: chains.chains,
      onFailure: (error) => warn(`Chains with resting orders make no blocks: ${String(error)}`),
    });
    running.defer(() => keeper.stop());
    if (options.trader) {
      const trading = {
        watched: () => watchedTokens(table),
        onFailure: (error: unknown) => warn(`The random trader cannot trade: ${String(error)}`),
      };
      const traders = [startRandomTrader({ ...trading, chains: chains.chains })];
      if (chains.sol !== undefined) traders.push(startSolTrader({ ...trading, chain: chains.sol }));
      running.defer(async () => void (await Promise.all(traders.map((trader) => trader.stop()))));
    }
  }
  const token = await runner.token({ sub: USER, expiresIn: TOKEN_SECONDS });
  const complaint =
    chains &&
    !options.empty &&
    (await seedWallets(chains.book, { baseUrl, token }, chains.sol !== undefined));
  if (complaint) warn(complaint);
  const expiresInSeconds = TOKEN_SECONDS;
  stdout.write(
    welcome({
      baseUrl,
      streamUrl,
      user: USER,
      token,
      expiresInSeconds,
      dataDir,
      chains: chains?.chains,
      sol: chains?.sol,
    }),
  );
  if (options.watch && stacks) running.use(await watchTerminal(runner, stacks, warn));
}

function firstAnswer(routes: readonly Route[], request: GatewayRequest): ReturnType<Route> {
  for (const route of routes) {
    const answer = route(request);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

/** Number of shards in the local stacks, which is the usual one. */
const localShards = channelShardsOf({ concurrentRuns: Number.POSITIVE_INFINITY });

/** Lists the tokens that connections follow. */
async function watchedTokens(table: Table): Promise<WatchedToken[]> {
  const watched: WatchedToken[] = [];
  for await (const portion of marketFollowers(table, localShards))
    watched.push(...portion.flatMap(({ tokens }) => tokens));
  return watched;
}

/** Lists the addresses of the local chain sol, for programs. */
const placesOf = ({ startedAt, url, hosts, relay, tokens }: NonNullable<LocalChains["sol"]>) => ({
  startedAt,
  url,
  hosts,
  relay,
  tokens,
});

/** Serves what `npm run documents -- --site DIR` writes, with the runner's own addresses, and llms.txt at the root, too. */
function referencePages(ports: LocalPorts): Route {
  const files = siteFiles(ports);
  const pages = staticPages(docsPath, () => files, referencePolicy);
  return (request) =>
    pages(pathOf(request) === llmsPath ? { ...request, target: `${docsPath}${llmsPath}` } : request);
}
