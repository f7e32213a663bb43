import { vi } from "vitest";
import { type Decimal, decimalOf, formatDecimal, zero } from "../../../lib/core/decimal.ts";
import { candleInCurrency } from "../../../lib/markets/core/candles.ts";
import { priceOf } from "../../../lib/markets/evm/rules/watched-pool.ts";
import { modelPools } from "../evm/rules/model/model-chain.ts";
import { trueMinute } from "../evm/rules/model/truth.ts";
import { type Client, modelTokens, theWorldSystem, World } from "./world.ts";

/** Counts what has happened, to show that histories were not empty. */
export type Coverage = Map<string, number>;

/** Time at which faults end. Afterwards, all data must become right. */
const faultySeconds = 900;
const quietSeconds = 300;

const [v2, v3, quiet] = modelTokens as [string, string, string];
const dollars = decimalOf(2000n, 0);

/**
 * Plays a history of runs of readMarkets: runs die between any two effects, new code replaces old code, the table and
 * deliver are throttled, and hosts are silent, late or lie, one at a time. Throws if anything that is stored or sent is
 * wrong.
 */
export async function playReaders(seed: number, coverage: Coverage, system = theWorldSystem): Promise<void> {
  const world = new World(`readers ${seed}`, system);
  const { chance } = world;
  const count = (name: string, by = 1) => coverage.set(name, (coverage.get(name) ?? 0) + by);
  const fail = (problem: string, details: object = {}): never => {
    const text = JSON.stringify(details, (_, value) => (typeof value === "bigint" ? `${value}` : value));
    throw new Error(`History ${seed}: ${problem} ${text}`);
  };
  const startedAt = world.seconds;
  let isFaulty = true;
  let [liar, honestUntil, throttledUntil, deliverUntil, silentUntil] = [0, 0, 0, 0, 0];

  const fork = () => {
    const depth = 1 + chance.below(chance.number() < 0.2 ? 70 : 4);
    world.chain.fork(Math.min(depth, world.chain.blocks.length - 50));
    world.noteViews();
    count("forks");
  };
  const disturb = () => {
    const now = world.seconds;
    if (chance.number() < 0.004) fork();
    if (chance.number() < 0.005) [liar, honestUntil] = [1 - liar, now + 240];
    for (const { hosts } of world.processes.filter(({ isDead, isOver }) => !isDead && !isOver))
      for (const [index, host] of hosts.hosts.entries()) {
        if (chance.number() < 0.03) host.lag = chance.pick([0, 0, 0, 1, 3]);
        if (now < silentUntil) host.isAway = true;
        else if (chance.number() < 0.1) host.isAway = chance.number() < 0.1;
        const isLiar = index === liar && now >= honestUntil;
        if (!isLiar || chance.number() < 0.05) host.isLying = isLiar && chance.number() < 0.3;
      }
    if (now >= silentUntil && chance.number() < 0.002) {
      silentUntil = now + 5 + chance.below(40);
      count("silent hosts");
    }
    if (now >= throttledUntil && chance.number() < 0.004) {
      throttledUntil = now + 1 + chance.below(20);
      count("throttled table");
    }
    if (now >= deliverUntil && chance.number() < 0.003) {
      deliverUntil = now + 60;
      count("throttled deliver");
    }
    if (chance.number() < 0.02) world.slowness = chance.pick([0, 0, 0, 1, 2, 4]);
    if (chance.number() < 0.01) {
      if (world.clients.has("guest")) world.leave("guest");
      else world.follow("guest", chance.pick([[v2], [quiet, v3], [v3, "no token"]]), chance.pick([1, 5]));
      count("guests");
    }
  };
  const publish = () => {
    const { lease, clients } = world;
    if (clients.size === 0) return;
    const isRead = lease && !lease.isEnded && Date.now() - lease.heartbeatMs <= 10_000;
    const isTurn = world.seconds % 60 < 2;
    if (isRead && !isTurn) return;
    const isDoomed = isFaulty && chance.number() < 0.7;
    const build = isFaulty ? chance.pick(["b1", "b1", "b2"]) : (lease?.build ?? "b1");
    world.start(build, isDoomed ? 1 + chance.below(chance.pick([40, 1500])) : undefined);
    count(isRead ? "standbys" : "starts");
  };

  world.follow("host", [v2, v3]);
  world.follow("guests", [v2], 5);
  for (let second = 0; second < faultySeconds + quietSeconds; second++) {
    isFaulty = second < faultySeconds;
    // Stops mining near the end, so that clients can get the newest state even if one run follows another.
    if (second < faultySeconds + quietSeconds - 30) world.mine();
    if (isFaulty) disturb();
    else {
      throttledUntil = deliverUntil = world.slowness = 0;
      for (const { hosts } of world.processes)
        for (const host of hosts.hosts) Object.assign(host, { lag: 0, isAway: false, isLying: false });
    }
    world.isTableThrottled = world.seconds < throttledUntil;
    world.isDeliverThrottled = world.seconds < deliverUntil;
    if (second % 2 === 0) publish();
    await vi.advanceTimersByTimeAsync(1000);
    const alive = world.processes.filter(({ isDead, isOver }) => !isDead && !isOver);
    if (alive.length > 1) count("two runs at once");
  }
  count("deaths", world.processes.filter(({ isDead }) => isDead).length);
  for (const process of world.processes) process.isDead = true;
  for (const fault of world.faults) fail("a run failed", { fault: String((fault as Error).stack) });

  const firstWhole = Math.ceil(startedAt / 60) * 60 + 60;
  const end = Math.floor((world.chain.head.time - 120) / 60) * 60;
  for (const [index, token] of [v2, v3].entries()) {
    const pool = modelPools[index] as (typeof modelPools)[number];
    const stored = new Map(world.minutesOf(token).map((minute) => [minute.start, minute]));
    for (let start = firstWhole; start < end; start += 60) {
      const [minute, truth] = [stored.get(start), trueMinute(world.chain.blocks, pool, start)];
      if (minute === undefined && truth === undefined) continue;
      if (minute !== undefined && (minute.hasGaps || !minute.isFinal)) {
        count(minute.hasGaps ? "gaps" : "not final");
        continue;
      }
      count("compared");
      const prices = ["open", "high", "low", "close", "volume"] as const;
      const isTrue =
        minute?.trades === truth?.trades &&
        prices.every((name) => truth && minute && isSame(minute[name] ?? zero, truth[name] ?? zero));
      if (!isTrue) fail("a stored minute is wrong", { token, start: start - startedAt, minute, truth });
    }
  }
  for (const client of world.clients.values()) {
    checkPace(client, fail);
    if (client.connectionId !== "host") continue;
    for (const [index, token] of [v2, v3].entries()) {
      const pool = modelPools[index] as (typeof modelPools)[number];
      const price = priceOf(pool, world.chain.head.words.get(pool.pool) as bigint) as Decimal;
      const candle = { pool: { pool: "", quote: pool.quote }, ...samePrices(price) };
      const inCoin = candleInCurrency(candle as never, "native", dollars)?.close as Decimal;
      if (client.prices.get(token) !== formatDecimal(inCoin))
        fail("a client has an old price", {
          token,
          has: client.prices.get(token),
          is: formatDecimal(inCoin),
        });
      // Minute candles that were read as history appear only over REST.
      const last = world.minutesOf(token).findLast(({ start, isFinal }) => isFinal && start < end);
      const own = last && client.minutes.get(token)?.get(new Date(last.start * 1000).toISOString());
      if (last && own?.trades !== last.trades) fail("a client has another minute", { token, last, own });
      count("clients' minutes");
    }
  }
}

const samePrices = (price: Decimal) => ({
  open: price,
  high: price,
  low: price,
  close: price,
  volume: price,
});

const isSame = (a: Decimal, b: Decimal) => a.mantissa === b.mantissa && a.exponent === b.exponent;

function checkPace(
  { connectionId, every, receivedMs }: Client,
  fail: (problem: string, details: object) => void,
) {
  for (const [index, at] of receivedMs.entries()) {
    const before = receivedMs[index - 1] ?? Number.NEGATIVE_INFINITY;
    if (at - before < 1000)
      fail("a client got two messages in a second", { connectionId, every, at, before });
  }
}
