/**
 * `npm run bench:markets` measures markets on a local runner with one chain while many connections follow 20 tokens
 * each. It reports each message's processor time next to that of plain `ws` with the same messages, the lag behind the
 * chain, and the requests to hosts. It fails if a client receives an older market after a newer one or two messages
 * within a second, or if anything is read before the first connection.
 */
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { dollarsOfUnits } from "../../lib/tools/documents/host-units.ts";
import type { BroadcastAnswer, BroadcastRequest } from "./broadcast-process.ts";
import { type Child, startChild } from "./child.ts";
import { startCountingHost } from "./counting-host.ts";
import { countsOf, isCheck, isLook } from "./host-requests.ts";
import { startMarketChain } from "./market-chain.ts";
import type { MarketClientAnswer, MarketClientRequest, MarketGroup } from "./market-client-process.ts";
import { type MarketOutcome, type MinedBlock, marketOutcome } from "./market-outcome.ts";
import { checkOpenFiles } from "./open-files.ts";
import { type ProcessorTime, processorTime, timeBetween } from "./processor-time.ts";
import { measureReader } from "./reader-load.ts";
import { machine } from "./report.ts";
import { type Service, startService } from "./service.ts";
import type { Spread } from "./statistics.ts";
import { figure, textTable } from "./text-table.ts";

const { values } = parseArgs({
  options: {
    connections: { type: "string", default: "1000" },
    seconds: { type: "string" },
    shards: { type: "string", default: "4" },
    // Seconds to wait before the first connection. Schedules run every minute.
    idle: { type: "string", default: "65" },
    // Measures only readMarkets, with these users and tokens, instead of the whole service.
    reader: { type: "boolean", default: false },
    users: { type: "string" },
    invented: { type: "string", default: "0" },
    restless: { type: "string", default: "0" },
  },
});
const [connections, seconds, shards, idleSeconds] = [
  Number(values.connections),
  Number(values.seconds ?? (values.reader ? 60 : 30)),
  Number(values.shards),
  Number(values.idle),
];
if (values.reader) {
  const [users, invented, restless] = [values.users ?? connections, values.invented, values.restless].map(
    Number,
  ) as [number, number, number];
  const { isBorne } = await measureReader({ connections, users, seconds, shards, invented, restless });
  process.exit(isBorne ? 0 : 1);
}

const tokenCount = 40;
const followed = 20;
/** Number of different sets of followed tokens. */
const choices = 10;
/** Blocks are mined one second apart, and each contains trades of a fifth of the tokens. */
const traded = tokenCount / 5;
const blockMs = 1000;
const connectionsOfUser = 30;
/** Warm-up in seconds, long enough to read all tokens' histories. */
const warmUpSeconds = 30;
/** Time to wait for the last messages. A client that missed one catches up within half a minute. */
const settleMs = 35_000;

type Clients = Child<MarketClientRequest, MarketClientAnswer>;

const startClients = () => startChild<MarketClientRequest, MarketClientAnswer>("market-client-process.ts");

const chain = await startMarketChain(tokenCount);
const hosts = [await startCountingHost(chain.url), await startCountingHost(chain.url)];
const requests = () => hosts.flatMap((host) => host.requests);

const tokensOf = (user: number): string[] =>
  Array.from(
    { length: followed },
    (_, index) => chain.tokens[((user % choices) * 4 + index) % tokenCount] as string,
  );

async function groupsFor(service: Service): Promise<MarketGroup[]> {
  const users = Math.ceil(connections / connectionsOfUser);
  return Promise.all(
    Array.from({ length: users }, async (_, user) => ({
      clients: Math.floor((connections + user) / users),
      authorization: `Bearer ${await service.token(`user-${user}`)}`,
      subscribe: JSON.stringify({
        type: "subscribe",
        channels: ["prices"],
        every: 1,
        tokens: tokensOf(user).map((token) => ({ chain: "base", token })),
      }),
    })),
  );
}

/** Trades and writes coin prices for some time. Returns the blocks. */
async function trade(service: Service, blocks: number): Promise<MinedBlock[]> {
  const mined: MinedBlock[] = [];
  const begun = Date.now();
  for (let index = 0; index < blocks; index++) {
    await pause(Math.max(0, begun + index * blockMs - Date.now()));
    const first = (index * traded) % tokenCount;
    if (index % 2 === 0) await service.writePrices();
    mined.push(await chain.trade(chain.tokens.slice(first, first + traded)));
  }
  return mined;
}

/** Market functions that ran and calls to hosts made before the first connection. */
async function idle(service: Service): Promise<{ functions: string[]; calls: string[] }> {
  for (const host of hosts) host.requests.length = 0;
  await pause(idleSeconds * 1000);
  const functions = [...(processorTime(service.pid)?.keys() ?? [])];
  return {
    functions: functions.filter((name) => /readMarkets|loadHistory|getMarket|listCandles/.test(name)),
    calls: requests()
      .filter((request) => !isCheck(request))
      .flatMap(({ calls }) => calls.map(({ method }) => method)),
  };
}

async function throughTheService(service: Service, clients: Clients) {
  const groups = await groupsFor(service);
  let isConnected = false;
  const connected = clients.ask({ do: "connect", url: service.streamUrl, groups }).finally(() => {
    isConnected = true;
  });
  // Mines blocks before the reader's first look at the chain, so that the charts' first minutes are complete.
  while (!isConnected) await Promise.all([trade(service, 1), pause(blockMs)]);
  await connected;
  await trade(service, warmUpSeconds);
  await clients.ask({ do: "begin" });
  for (const host of hosts) host.requests.length = 0;
  const before = processorTime(service.pid);
  const blocks = await trade(service, seconds);
  const used = timeBetween(before, processorTime(service.pid));
  const asked = requests();
  const { messages } = await clients.ask({ do: "count" });
  await pause(settleMs);
  const { receipts, samples, closed } = await clients.ask({ do: "report" });
  if (closed > 0) throw new Error(`${closed} clients lost their connections`);
  const tokens = groups.flatMap((group, user) => Array.from({ length: group.clients }, () => tokensOf(user)));
  const outcome = marketOutcome(
    receipts.map((own, index) => ({ tokens: tokens[index] ?? [], receipts: own })),
    blocks,
  );
  return { outcome, samples, asked, used, measured: messages };
}

/** Sends the same messages in a plain loop. Returns the processor time for each message in microseconds. */
async function bareTime(samples: readonly (readonly string[])[]): Promise<number> {
  const server = await startChild<BroadcastRequest, BroadcastAnswer, { url: string }>("broadcast-process.ts");
  const clients = await startClients();
  try {
    await clients.ask({ do: "connect", url: server.first.url, groups: [{ clients: connections }] });
    const ticks = Math.min(...samples.map(({ length }) => length));
    const send = async (tick: number) => {
      await server.ask({ messages: samples.map((sample) => sample[tick] as string) });
      await pause(blockMs);
    };
    await send(0);
    const before = processorTime(server.pid);
    for (let tick = 0; tick < ticks; tick++) await send(tick);
    return perMessage(timeBetween(before, processorTime(server.pid)), ticks * connections);
  } finally {
    await clients.stop();
    await server.stop();
  }
}

/** Returns the processor time per message in microseconds: of all processes, or only of one use. */
function perMessage(used: ProcessorTime, messages: number, use?: string): number {
  const times = use === undefined ? [...(used?.values() ?? [])] : [used?.get(use) ?? 0];
  return (1000 * times.reduce((sum, time) => sum + time, 0)) / messages;
}

function printed(
  { outcome, used, measured, asked }: Awaited<ReturnType<typeof throughTheService>>,
  bareUs: number,
) {
  const { lagBlocks, lagMs } = outcome;
  const looks = asked.flatMap(({ calls }) => calls).filter(isLook).length;
  const { units, requests: count } = countsOf(asked);
  const methods = Map.groupBy(
    asked.flatMap(({ calls }) => calls),
    ({ method }) => method,
  );
  const ofMethods = [...methods].map(([method, calls]) => `${method} ${calls.length}`).join(", ");
  const ofLooks = countsOf(asked.filter(({ calls }) => calls.some(isLook))).units;
  const monthly = (units / seconds) * 30 * 86_400;
  const uses = [...(used?.keys() ?? [])].filter((use) => perMessage(used, measured, use) >= 1);
  const timeRow = (name: string, us: number) => [name, figure(us), `x ${figure(us / bareUs)}`];
  const times = uses
    .toSorted((one, other) => (used?.get(other) ?? 0) - (used?.get(one) ?? 0))
    .map((use) => timeRow(use === "server" ? "runner" : use, perMessage(used, measured, use)));
  return `${textTable(
    ["messages", "bytes", "superseded", "hasty", "shortest gap ms", "lost swaps"],
    [
      [
        outcome.messages,
        outcome.bytes,
        outcome.superseded,
        outcome.hasty,
        outcome.shortestMs,
        outcome.lost,
      ].map((value) => figure(value)),
    ],
  )}

${textTable(
  ["from a swap's block to the client", "p50", "p95", "p99", "max"],
  [lagRow("blocks", lagBlocks), lagRow("ms", lagMs)],
)}

${textTable(
  ["CPU us of a message", "", "of bare ws"],
  [...times, timeRow("all", perMessage(used, measured)), timeRow("bare ws", bareUs)],
)}

${looks} looks in ${seconds} s, ${count} requests with ${ofMethods}
${figure(units / looks)} units for each look, ${figure(ofLooks / looks)} of them its own; $${figure(dollarsOfUnits(monthly))} a month`;
}

const lagRow = (name: string, { p50, p95, p99, max }: Spread) => [name, ...[p50, p95, p99, max].map(figure)];

const bounds = ({ superseded, hasty, lost, messages }: MarketOutcome) => ({
  "clients got an older market after a newer one": superseded > 0,
  "clients got two messages within a second": hasty > 0,
  "swaps reached no client": lost > 0,
  "no messages": messages === 0,
});

checkOpenFiles(connections);
console.log(`${machine()}
${connections} connections that follow ${followed} of ${tokenCount} tokens, a fifth of which is traded each second; ${shards} shards`);
const service = await startService(shards, {
  trading: ["base"],
  chains: { base: { ...chain.context, hosts: hosts.map(({ url }) => url), relay: null } },
  markets: true,
});
const clients = await startClients();
let measuredRun: Awaited<ReturnType<typeof throughTheService>>;
let quiet: Awaited<ReturnType<typeof idle>>;
try {
  quiet = await idle(service);
  console.log(
    `\nbefore anybody connected, in ${idleSeconds} s: calls to hosts: ${quiet.calls.join(", ") || "none"}; functions: ${quiet.functions.join(", ") || "none"}`,
  );
  measuredRun = await throughTheService(service, clients);
} finally {
  await clients.stop();
  await service.stop();
  for (const host of hosts) host.stop();
  await chain.close();
}
const bareUs = await bareTime(measuredRun.samples);
console.log(`\n${printed(measuredRun, bareUs)}`);
const broken = Object.entries({
  ...bounds(measuredRun.outcome),
  "something was read for nobody": quiet.calls.length + quiet.functions.length > 0,
}).flatMap(([name, isBroken]) => (isBroken ? [name] : []));
if (broken.length > 0) console.error(`\nfailed: ${broken.join("; ")}`);
process.exitCode = broken.length === 0 ? 0 : 1;
