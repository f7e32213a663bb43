import { type SecondHost, startSecondHost } from "trading-terminal-devnet/evm/second-host";
import { startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { add, type Decimal, zero } from "../../../lib/core/decimal.ts";
import { readEvents } from "../../../lib/markets/evm/read-events.ts";
import { type PoolEvent, priceOf, volumeOf } from "../../../lib/markets/evm/rules/watched-pool.ts";
import { readerOf } from "../../support/chain-reader.ts";
import { likePancake } from "../../support/market-pools.ts";
import { type RandomSwaps, startRandomSwaps, type TrueBlock } from "../../support/random-swaps.ts";

const seeds = process.env.FULL ? Array.from({ length: 10 }, (_, seed) => seed + 1) : [1, 2];
const blocksPerSeed = 40;

let chain: TestChain;
/** Reports logs of PancakeSwap's pools in the same form as the production contracts. */
let host: SecondHost;
beforeAll(async () => {
  chain = await startTestChain({ chain: "base" });
  host = await startSecondHost({ chainUrl: chain.url });
});
afterAll(() => Promise.all([chain.close(), host.close()]));

type Minute = { words: Map<string, bigint>; swaps: Map<string, { count: number; volume: Decimal }> };

/** Sums up the events of a block. */
function blockOf(events: readonly PoolEvent[]): Minute {
  const [words, swaps] = [new Map<string, bigint>(), new Map<string, { count: number; volume: Decimal }>()];
  for (const { pool, word, isSwap, volume } of events) {
    if (word !== undefined) words.set(pool, word);
    const known = swaps.get(pool) ?? { count: 0, volume: zero };
    if (isSwap) swaps.set(pool, { count: known.count + 1, volume: add(known.volume, volume) });
  }
  return { words, swaps };
}

function expectTruth(
  { pools }: RandomSwaps,
  truth: readonly TrueBlock[],
  events: readonly PoolEvent[],
): void {
  const states = new Map(truth[0]?.words);
  for (const { number, hash, time, words, swaps } of truth.slice(1)) {
    const own = events.filter(({ block }) => block === number);
    for (const event of own) expect(event).toMatchObject({ blockHash: hash, time });
    const found = blockOf(own);
    for (const [pool, word] of found.words) states.set(pool, word);
    expect(states).toEqual(words);
    for (const pool of Object.values(pools)) {
      const volumes = swaps.get(pool.pool)?.map((units) => volumeOf(units, pool.quoteDecimals));
      const expected = volumes && { count: volumes.length, volume: volumes.reduce(add) };
      expect({ number, swap: found.swaps.get(pool.pool) }).toEqual({ number, swap: expected });
    }
  }
  for (const { pool, word, price } of events) {
    const of = Object.values(pools).find((each) => each.pool === pool);
    if (word !== undefined && of !== undefined) expect(price).toEqual(priceOf(of, word));
  }
}

describe("events", () => {
  it.each(seeds)("agrees with the chain's own states and receipts for seed %i", async (seed) => {
    await chain.restore();
    const swaps = await startRandomSwaps(chain, seed);
    host.lie = likePancake(swaps.pools);
    const first = await swaps.height();
    for (let block = 0; block < blocksPerSeed; block++) await swaps.block();
    const last = await swaps.height();
    const truth = await swaps.truth(first, last);
    const pools = Object.values(swaps.pools);
    const count = truth.flatMap((block) => [...block.swaps.values()].flat()).length;
    expect(count).toBeGreaterThan(blocksPerSeed);
    for (const faults of [
      {},
      { logBlocks: 7 },
      { mostLogs: 12 },
      { logs: "noTimes" },
      { logs: "repeats" },
    ] as const) {
      host.faults = faults;
      const reader = readerOf(chain, { hosts: [host.url] });
      const { events, unread } = await readEvents(reader, { pools, from: first + 1, to: last });
      expect([...unread]).toEqual([]);
      expectTruth(swaps, truth, events);
    }
  });
});
