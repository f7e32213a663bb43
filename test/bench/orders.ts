/**
 * `npm run bench:orders` measures orders on a local runner with one chain: the time from the request to the response
 * and to the broadcast, cold and warm; the requests to hosts and their units; each function's processor time; and how
 * many orders of 50 wallets fill in a minute. It compares the times with those of a single process that agrees, signs
 * and sends, in rounds that take turns. `--chain sol` measures Solana, `--rtt` sets the hosts' round-trip time, and
 * `--queue` delays asynchronous invocations, both in milliseconds. `--handshakes` are the round trips before a
 * connection's first request, by default 2 with `--rtt`, and `--pause` is the time before each order in seconds, in
 * which connections may close. `--share` gives each function the share of a processor that its memory has on Lambda.
 * `--trace` shows the requests that functions made for the median order.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { operations } from "../../lib/operations/operations.ts";
import { hostPrices } from "../../lib/tools/documents/assumptions.ts";
import { dollarsOfUnits } from "../../lib/tools/documents/host-units.ts";
import { newKey } from "../support/keys.ts";
import { startCountingHost } from "./counting-host.ts";
import { countsByPhase, type HostCounts, phases, sends } from "./host-requests.ts";
import { isOrderChain, orderChains, startOrderChain } from "./order-chain.ts";
import { type FloorTrade, openFloor } from "./order-floor.ts";
import { type TracedOrder, traceTable } from "./order-trace.ts";
import { openTrader } from "./order-trader.ts";
import { shareProcessor } from "./processor-shares.ts";
import { type ProcessorTime, processorTime, timeBetween } from "./processor-time.ts";
import { machine } from "./report.ts";
import { startService } from "./service.ts";
import { now, percentile, spreadOf } from "./statistics.ts";
import { figure, textTable } from "./text-table.ts";

const { values } = parseArgs({
  options: {
    orders: { type: "string", default: "10" },
    cold: { type: "string", default: "3" },
    wallets: { type: "string", default: "50" },
    rounds: { type: "string", default: "3" },
    rtt: { type: "string", default: "0" },
    queue: { type: "string", default: "0" },
    chain: { type: "string", default: "eth" },
    handshakes: { type: "string" },
    pause: { type: "string", default: "5" },
    share: { type: "boolean", default: false },
    trace: { type: "boolean", default: false },
  },
});
if (!isOrderChain(values.chain)) {
  console.error(`--chain must be one of ${orderChains.join(", ")}`);
  process.exit(2);
}
const number = (name: keyof typeof values) => Number(values[name]);
const [orders, coldOrders, walletCount, rounds] = [
  number("orders"),
  number("cold"),
  number("wallets"),
  number("rounds"),
];
const [roundTripMs, queueMs, pauseSeconds] = [number("rtt"), number("queue"), number("pause")];
const handshakes = values.handshakes === undefined ? (roundTripMs > 0 ? 2 : 0) : number("handshakes");

/** Functions between a request and the broadcast. */
const functionsOfOrder = ["authorize", "placeOrder", "executeOrders", "signTransaction"] as const;

/** Warm-up orders and floor trades. */
const warmUp = 5;

/** Milliseconds since the request. */
type Times = { toAnswer: number; toBroadcast: number };

/** Time after which functions have logged their requests. */
const traceSeconds = 3;

const folder = mkdtempSync(join(tmpdir(), "bench-orders-"));
const traceFile = values.trace ? join(folder, "trace") : undefined;
const chain = await startOrderChain(values.chain);
const hosts = [
  await startCountingHost(chain.url, roundTripMs, handshakes),
  await startCountingHost(chain.url, roundTripMs, handshakes),
];
const urls = hosts.map(({ url }) => url);
const floor = openFloor(folder, chain);
const { context } = chain;
const service = await startService(
  1,
  {
    trading: [chain.chain],
    chains: { [chain.chain]: { ...context, hosts: urls, relay: null } },
    walletLimits: { Base: 500 },
  },
  queueMs,
  traceFile,
);

/** Memory size from which on Lambda gives a function a whole processor. */
const processorMB = 1769;
const rows: Readonly<Record<string, { memoryMB: number }>> = operations;
const endShares = values.share
  ? shareProcessor(service.pid, (name) => Math.min(1, (rows[name]?.memoryMB ?? processorMB) / processorMB))
  : () => undefined;

const pause = () => delay(1000 * pauseSeconds);

const requests = () => hosts.flatMap((host) => host.requests);
function forget(): void {
  for (const host of hosts) host.requests.length = 0;
}
const sentAt = () =>
  Math.min(
    ...requests()
      .filter(sends)
      .map(({ at }) => at),
  );

const trader = await openTrader(service, chain);

/** Places an order and waits until its outcome is final. */
async function orderOnce(wallet: string) {
  await pause();
  forget();
  const begunAt = now();
  await trader.buy(wallet);
  const answeredAt = now();
  await trader.untilAll(({ settled }) => settled);
  const times: Times = { toAnswer: answeredAt - begunAt, toBroadcast: sentAt() - begunAt };
  return { times, counts: countsByPhase(requests(), answeredAt), traced: { begunAt, sentAt: sentAt() } };
}

async function ordersOneByOne(wallet: string, unmeasured: number) {
  const done: Awaited<ReturnType<typeof orderOnce>>[] = [];
  let before: ProcessorTime;
  for (let index = -unmeasured; index < orders; index++) {
    if (index === 0) before = processorTime(service.pid);
    const order = await orderOnce(wallet);
    if (index >= 0) done.push(order);
  }
  return { done, used: timeBetween(before, processorTime(service.pid)) };
}

async function coldOrdersOneByOne(wallet: string): Promise<Times[]> {
  const times: Times[] = [];
  while (times.length < coldOrders) {
    await service.cool(functionsOfOrder);
    times.push((await orderOnce(wallet)).times);
  }
  return times;
}

/** Trades with a wallet unknown to the service. Waits for blocks before the next trade, so that hosts agree. */
async function floorTrades(
  count: number,
  trade: typeof floor.trade,
): Promise<{ times: Times[]; trades: FloorTrade[] }> {
  const { address: wallet, secret } = newKey(chain.chain);
  await chain.fund(wallet);
  const { token, amount } = chain;
  const configuration = chain.configurationFor(urls);
  const request = { configuration, wallet, secret: secret.toString("hex"), token, amount };
  const [times, trades]: [Times[], FloorTrade[]] = [[], []];
  while (times.length < count) {
    await pause();
    forget();
    const done = await trade(request);
    trades.push(done);
    times.push({ toAnswer: done.agreedAt - done.begunAt, toBroadcast: sentAt() - done.begunAt });
    await chain.nextBlock();
  }
  return { times, trades };
}

/** Compares the rounds' times with those of the floor. Each figure is the median of the rounds. */
function timeTable(
  name: string,
  ours: readonly (readonly Times[])[],
  lowest: readonly (readonly Times[])[],
): string {
  const row = (from: string, of: (times: Times) => number) => {
    const median = (all: readonly (readonly Times[])[], rank: "p50" | "p95") =>
      percentile(
        all.map((round) => spreadOf(round.map(of))[rank]),
        50,
      );
    const cells = (["p50", "p95"] as const).flatMap((rank) => {
      const [own, bound] = [median(ours, rank), median(lowest, rank)];
      return [figure(own), figure(bound), `x ${figure(own / bound)}`];
    });
    return [from, ...cells];
  };
  const head = ["p50 ms", "floor", "ratio", "p95 ms", "floor", "ratio"];
  return textTable(
    [name, ...head],
    [
      row("the request to the answer", ({ toAnswer }) => toAnswer),
      row("the request to the broadcast", ({ toBroadcast }) => toBroadcast),
    ],
  );
}

function countTable(counts: readonly ReturnType<typeof countsByPhase>[]): string {
  const hasUnits = chain.chain !== "sol";
  const counted = hasUnits ? ([...phases, "shared"] as const) : phases;
  const rows = counted.map((phase) => {
    const usual = (of: (counts: HostCounts) => number) =>
      percentile(
        counts.map((each) => of(each[phase])),
        50,
      );
    const units = usual((each) => each.units);
    return [
      phase,
      ...[usual(({ requests }) => requests), usual(({ calls }) => calls)].map(figure),
      ...(hasUnits ? [figure(units), `$${(1000 * dollarsOfUnits(units)).toFixed(2)}`] : []),
    ];
  });
  const head = ["both hosts, p50", "requests", "calls"];
  if (!hasUnits) return textTable(head, rows);
  const { provider, source, readOn, perMillionUnits } = hostPrices;
  return `Units of ${provider} (${source}, ${readOn}), at $${perMillionUnits} a million
${textTable([...head, "units", "1,000 orders"], rows)}`;
}

function processorTable(used: ProcessorTime, floorMs: number): string {
  const count = rounds * orders;
  const rows = [...(used ?? [])]
    .toSorted(([, one], [, other]) => other - one)
    .filter(([, ms]) => ms / count >= 0.1)
    .map(([use, ms]) => [
      use === "server" ? "runner" : use,
      figure(ms / count),
      `x ${figure(ms / count / floorMs)}`,
    ]);
  return textTable(["CPU ms of an order", "", "of the floor"], rows);
}

/** Trades with many wallets at once. Returns the orders filled in a minute. */
async function filledPerMinute(): Promise<number> {
  const wallets: string[] = [];
  const crowd = await openTrader(service, chain, "crowd");
  while (wallets.length < walletCount) wallets.push(await crowd.newWallet());
  const start = now();
  for (let round = 0; round < rounds; round++) {
    const left = [...wallets];
    const work = async () => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) await crowd.buy(next);
    };
    await Promise.all(Array.from({ length: 10 }, work));
    await crowd.untilAll(({ status }) => status === "filled");
  }
  return (rounds * walletCount) / ((now() - start) / 60_000);
}

/** Adds the processor times of two rounds. */
const together = (one: ProcessorTime, other: ProcessorTime): ProcessorTime =>
  one === undefined || other === undefined
    ? undefined
    : new Map([...one, ...other].map(([use]) => [use, (one.get(use) ?? 0) + (other.get(use) ?? 0)]));

/** Milliseconds of processor time that the floor uses for a trade, once it is warm. */
function floorCpuMs(trades: readonly FloorTrade[]): number {
  const [first, last] = [trades[0], trades.at(-1)] as [FloorTrade, FloorTrade];
  return (last.cpuMs - first.cpuMs) / (trades.length - 1);
}

const words = values.share
  ? "functions have their memory's share of a processor"
  : "functions share all processors";
console.log(`${machine()}
hosts ${roundTripMs} ms away, ${handshakes} round trips to connect, asynchronous invocations queued for ${queueMs} ms
${pauseSeconds} s before each order, ${words}
floor: one process that agrees with both hosts, signs and sends; its answer is the agreement
${rounds} rounds in turns, medians of the rounds\n`);
try {
  const wallet = await trader.newWallet();
  await floorTrades(1, floor.trade);
  const warm: Awaited<ReturnType<typeof ordersOneByOne>>[] = [];
  const bound: Awaited<ReturnType<typeof floorTrades>>[] = [];
  const [cold, coldBound]: [Times[][], Times[][]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    warm.push(await ordersOneByOne(wallet, round === 0 ? warmUp : 1));
    bound.push(await floorTrades(orders, floor.trade));
    if (coldOrders === 0) continue;
    cold.push(await coldOrdersOneByOne(wallet));
    coldBound.push((await floorTrades(coldOrders, floor.tradeCold)).times);
  }
  const timesOf = warm.map(({ done }) => done.map(({ times }) => times));
  const boundTimes = bound.map(({ times }) => times);
  console.log(timeTable(`${orders} warm orders a round, from, to`, timesOf, boundTimes));
  if (traceFile !== undefined) {
    await delay(1000 * traceSeconds);
    const traced = warm.flatMap(({ done }) => done.map((each): TracedOrder => each.traced));
    console.log(`\n${traceTable(traceFile, traced)}`);
  }
  if (coldOrders > 0)
    console.log(`\n${timeTable(`${coldOrders} cold orders a round, from, to`, cold, coldBound)}`);
  console.log(`\n${countTable(warm.flatMap(({ done }) => done.map(({ counts }) => counts)))}`);
  const used = warm.map((round) => round.used).reduce(together);
  const floorMs = percentile(
    bound.map(({ trades }) => floorCpuMs(trades)),
    50,
  );
  console.log(`\n${processorTable(used, floorMs)}`);
  if (walletCount > 0) {
    const perMinute = await filledPerMinute();
    console.log(
      `\n${rounds * walletCount} orders of ${walletCount} wallets: ${figure(perMinute)} filled a minute`,
    );
  }
} finally {
  endShares();
  await floor.stop();
  await service.stop();
  for (const host of hosts) host.stop();
  await chain.close();
  rmSync(folder, { recursive: true });
}
