import { resolve } from "node:path";
import type { Runner, Site, StartOptions } from "cdk-local-runner";
import { Command } from "commander";
import { openLocal } from "../admin/local-target.ts";
import { seedExamples } from "../admin/seed.ts";
import { AUDIENCE, synthesizeTerminal } from "./assembly.ts";
import { consolePages } from "./console/pages.ts";
import { port, progress, runProgram, type Stdio, timeLimit, wholeNumber } from "./run-program.ts";
import { portBeside, startVenue } from "./venue/venue.ts";
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
  conflicts?: true;
  faults?: true;
  chance: number;
  watch?: true;
};

export type Deps = Stdio & {
  start(options: StartOptions): Promise<Runner>;
  /** Calls `stop` when the program is to end. */
  stopOnSignal(stop: () => Promise<void>): void;
};

const USER = "alice";
const TOKEN_SECONDS = 3600;

/** `npm start`: runs the service on this machine. With status 0, it keeps serving until it is stopped. */
export function main(args: readonly string[], deps: Deps): Promise<number> {
  const command = new Command("npm start --")
    .description("Runs the service on this machine, without an AWS account.")
    .option("--port <number>", "port of base_url", port, 3000)
    .option("--stream-port <number>", "port of stream_url", port, 3001)
    .option("--stream-idle-timeout <seconds>", "close idle connections, as AWS does", timeLimit, 600)
    .option("--stream-duration <seconds>", "close connections of that age, as AWS does", timeLimit, 7200)
    .option("--data-dir <folder>", "where data, keys and logs are kept", ".terminal")
    .option("--memory", "keep nothing")
    .option("--empty", "start without examples")
    .option("--allowed-origin <origin...>", "web origins that may call the API", ["http://localhost:5173"])
    .option("--live-prices", "prices from Coinbase Exchange and Kraken instead of the simulated venue")
    .option("--conflicts", "let transactions on the table conflict, as on AWS")
    .option("--faults", "serve /_local/faults, where tests make services fail")
    .option("--chance <number>", "seed of conflicts and faults", wholeNumber, 1)
    .option("--watch", "run changed handlers at once (npm run dev)");
  return runProgram<Options>(command, args, deps, (options) => serve(options, deps));
}

async function serve(options: Options, deps: Deps): Promise<void> {
  const { start, stdout, stderr } = deps;
  await using undo = new AsyncDisposableStack();
  // Until the runner is up, there is nothing to stop in order: what has been started ends with this process.
  let stop = async () => {};
  deps.stopOnSignal(() => stop());

  const dataDir = options.memory ? undefined : resolve(options.dataDir);
  const { step, end } = progress(deps);
  let stacks: Stacks | undefined;

  const runner = await start({
    port: options.port,
    streamPort: options.streamPort,
    streamLimits: {
      idleMs: options.streamIdleTimeout * 1000,
      durationMs: options.streamDuration * 1000,
    },
    conflicts: options.conflicts ?? false,
    faults: options.faults ?? false,
    chance: options.chance,
    audience: AUDIENCE,
    dataDir,
    seed: options.empty ? undefined : async (local) => seedExamples(await openLocal(local)),
    pages: consolePages,
    onStep: step,
    async assembly(site: Site) {
      const context: Record<string, unknown> = { allowedOrigins: options.allowedOrigin };
      if (!options.livePrices) {
        const venue = await startVenue({ port: portBeside(site.issuer) });
        undo.defer(() => venue.close());
        context.priceFeeds = [{ source: "simulated", venue: "coinbase", url: venue.url }];
      }
      const synthesize = (folder: string) => synthesizeTerminal({ ...site, folder }, context);
      stacks = { ...site, synthesize };
      return synthesize(site.folder);
    },
  }).finally(end);
  undo.defer(() => runner.stop());
  const running = undo.move();
  stop = () => running.disposeAsync();

  stdout.write(
    welcome({
      baseUrl: runner.baseUrl,
      streamUrl: runner.streamUrl,
      user: USER,
      token: await runner.token({ sub: USER, expiresIn: TOKEN_SECONDS }),
      expiresInSeconds: TOKEN_SECONDS,
      dataDir,
    }),
  );
  if (options.watch && stacks)
    running.use(await watchTerminal(runner, stacks, (text) => stderr.write(`${text}\n`)));
}
