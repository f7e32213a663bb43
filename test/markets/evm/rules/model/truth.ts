import { add, compare, type Decimal, zero } from "../../../../../lib/core/decimal.ts";
import type { Candle } from "../../../../../lib/markets/core/candle.ts";
import { priceOf, type WatchedPool } from "../../../../../lib/markets/evm/rules/watched-pool.ts";
import type { ModelBlock } from "./model-chain.ts";

export type TrueMinute = Omit<Candle, "pool" | "isFinal" | "hasGaps">;

/** A pool's price at a block, and the candle of the last minute with swaps up to that block. */
type Known = { price: Decimal; minute: TrueMinute | undefined };

const computed = new WeakMap<ModelBlock, Map<string, Known>>();

/** Computes what is known of a pool at a block from the states after all blocks. */
function knownAt(blocks: readonly ModelBlock[], number: number, pool: WatchedPool): Known {
  // Avoids recursion, which could be thousands of blocks deep.
  let first = number;
  while (first > 0 && !computed.get(blocks[first] as ModelBlock)?.has(pool.pool)) first--;
  for (let at = first; at <= number; at++) {
    const block = blocks[at] as ModelBlock;
    const before = at === 0 ? undefined : computed.get(blocks[at - 1] as ModelBlock)?.get(pool.pool);
    const all = computed.get(block) ?? new Map<string, Known>();
    computed.set(block, all);
    if (!all.has(pool.pool)) all.set(pool.pool, next(block, pool, before));
  }
  return computed.get(blocks[number] as ModelBlock)?.get(pool.pool) as Known;
}

function next({ time, events, words }: ModelBlock, pool: WatchedPool, before: Known | undefined): Known {
  const price = priceOf(pool, words.get(pool.pool) as bigint) as Decimal;
  const swaps = events.filter((event) => event.pool === pool.pool && event.isSwap);
  if (swaps.length === 0) return { price, minute: before?.minute };
  const start = time - (time % 60);
  const old = before?.minute?.start === start ? before.minute : undefined;
  const prices = [before?.price ?? price, price].toSorted(compare) as [Decimal, Decimal];
  const minute = {
    start,
    open: old?.open ?? before?.price ?? price,
    high: old && compare(old.high, prices[1]) > 0 ? old.high : prices[1],
    low: old && compare(old.low, prices[0]) < 0 ? old.low : prices[0],
    close: price,
    volume: swaps.reduce((sum, { volume }) => add(sum, volume), old?.volume ?? zero),
    trades: (old?.trades ?? 0) + swaps.length,
  };
  return { price, minute };
}

/** Returns a pool's true minute candle, or undefined if the pool had no swaps in that minute. */
export function trueMinute(
  blocks: readonly ModelBlock[],
  pool: WatchedPool,
  start: number,
): TrueMinute | undefined {
  let [low, high] = [0, blocks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blocks[middle] as ModelBlock).time < start + 60) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return undefined;
  const { minute } = knownAt(blocks, low - 1, pool);
  return minute?.start === start ? minute : undefined;
}
