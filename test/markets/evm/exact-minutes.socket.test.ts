import { type HostFaults, type SecondHost, startSecondHost } from "trading-terminal-devnet/evm/second-host";
import { startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Candle } from "../../../lib/markets/core/candle.ts";
import { marketHosts } from "../../../lib/markets/evm/hosts.ts";
import { type Journal, newJournal, watchPool } from "../../../lib/markets/evm/rules/journal.ts";
import { lookRound } from "../../../lib/markets/evm/rules/look-round.ts";
import { takeChangedMinutes } from "../../../lib/markets/evm/rules/pool-book.ts";
import { proofRound } from "../../../lib/markets/evm/rules/proof-round.ts";
import { volumeOf, type WatchedPool } from "../../../lib/markets/evm/rules/watched-pool.ts";
import { readerOf } from "../../support/chain-reader.ts";
import { likePancake } from "../../support/market-pools.ts";
import { type RandomSwaps, startRandomSwaps, type TrueBlock } from "../../support/random-swaps.ts";
import { Random } from "../../trading/model/random.ts";
import { trueMinute } from "./rules/model/truth.ts";

const seeds = process.env.FULL ? Array.from({ length: 10 }, (_, seed) => seed + 1) : [1];
const steps = { faulty: 50, quiet: 12 };

let chain: TestChain;
let hosts: [SecondHost, SecondHost];
beforeAll(async () => {
  chain = await startTestChain({ chain: "base" });
  const options = { chainUrl: chain.url };
  hosts = [await startSecondHost(options), await startSecondHost(options)];
});
afterAll(() => Promise.all([chain.close(), ...hosts.map((host) => host.close())]));

/** Faults of hosts that return logs. With the first two, the logs are still true. */
const faults: readonly HostFaults[] = [
  { logs: "zeroTimes" },
  { logBlocks: 2 },
  ...(["hidesNewest", "hidesMiddle", "invents", "alters", "repeats", "reverses", "removes"] as const).map(
    (logs) => ({ logs }),
  ),
  { refusesLogs: "busy" },
  { unavailable: 0.3 },
];

type Shown = Map<string, Map<number, Candle>>;

/** Runs one look and one proof, and takes the minute candles that have changed. */
async function round(journal: Journal, reader: ReturnType<typeof marketHosts>, shown: Shown, nowMs: number) {
  const { isUnexplained } = await lookRound(journal, reader, nowMs);
  if (isUnexplained) reader.leaveHost();
  await proofRound(journal, reader, nowMs);
  const time = { blockTime: journal.look?.time ?? 0, nowMs };
  for (const book of journal.books.values())
    for (const minute of takeChangedMinutes(book, time)) {
      const minutes = shown.get(book.pool.pool) ?? new Map<number, Candle>();
      shown.set(book.pool.pool, minutes);
      if (minute.trades === 0) minutes.delete(minute.start);
      else minutes.set(minute.start, minute);
    }
}

/** Converts blocks into the form from which minute candles are computed. */
const modelOf = (blocks: readonly TrueBlock[], pools: readonly WatchedPool[]) =>
  blocks.map((block) => ({
    ...block,
    events: pools.flatMap((pool) =>
      (block.swaps.get(pool.pool) ?? []).map((units) => ({
        pool: pool.pool,
        block: block.number,
        blockHash: block.hash,
        time: block.time,
        logIndex: 0,
        isSwap: true,
        volume: volumeOf(units, pool.quoteDecimals),
      })),
    ),
  }));

type Blocks = ReturnType<typeof modelOf>;

/** Compares minute candles from a time on. Until a history ends, only final candles must be right. */
function expectTruth(
  shown: Shown,
  pools: readonly WatchedPool[],
  blocks: Blocks,
  from: number,
  isEnd: boolean,
) {
  const last = blocks.at(-1)?.time ?? 0;
  let compared = 0;
  for (const { venue, pool, quote } of pools)
    for (let start = from; start + 60 <= last - 60; start += 60) {
      const minute = shown.get(pool)?.get(start);
      const isSure = minute?.isFinal === true && !minute.hasGaps;
      if (!isEnd && !isSure) continue;
      const truth = trueMinute(blocks, pools.find((each) => each.pool === pool) as WatchedPool, start);
      const expected = truth && { ...truth, isFinal: true, hasGaps: false, pool: { pool, quote } };
      const name = `${venue} ${start - from}`;
      expect({ name, ...minute }).toEqual({ name, ...expected });
      if (truth !== undefined) compared++;
    }
  expect(compared).toBeGreaterThan(10);
}

describe("minute candles of random swaps", () => {
  it.each(seeds)(
    "shows a minute candle as final only if it is true, even while a host lies and blocks are replaced: seed %i",
    async (seed) => {
      await chain.restore();
      const random = new Random(seed);
      const swaps: RandomSwaps = await startRandomSwaps(chain, seed);
      for (const host of hosts) Object.assign(host, { faults: {}, lie: likePancake(swaps.pools) });
      const reader = marketHosts(readerOf(chain, { hosts: hosts.map(({ url }) => url) }), {
        onSilence: () => {},
        onFlood: () => {},
      });
      const journal = newJournal("base");
      const pools = Object.values(swaps.pools);
      for (const pool of pools) watchPool(journal, pool, 0);
      const shown: Shown = new Map();
      let nowMs = 0;
      const first = await swaps.height();
      await round(journal, reader, shown, nowMs);
      const from = Math.ceil((journal.look?.time ?? 0) / 60) * 60;
      const compare = async (isEnd: boolean) =>
        expectTruth(
          shown,
          pools,
          modelOf(await swaps.truth(first, await swaps.height()), pools),
          from,
          isEnd,
        );
      let liar = random.below(2);
      for (let step = 0; step < steps.faulty + steps.quiet; step++) {
        const isQuiet = step >= steps.faulty;
        if (step === steps.faulty) await compare(false);
        if (random.chance(0.1)) liar = 1 - liar;
        for (const [index, host] of hosts.entries())
          host.faults =
            index === liar && !isQuiet && random.chance(0.6) ? (random.pick(faults) as HostFaults) : {};
        if (!isQuiet && random.chance(0.1)) {
          const depth = Math.min(1 + random.below(5), (await swaps.height()) - first - 1);
          if (depth > 0) await chain.request("anvil_reorg", [depth, []]);
        }
        for (let blocks = 1 + random.below(3); blocks > 0; blocks--) await swaps.block(isQuiet ? 1 : 4);
        nowMs += 20_000;
        await round(journal, reader, shown, nowMs);
      }
      await compare(true);
    },
  );
});
