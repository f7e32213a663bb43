import type { Decimal } from "../../../core/decimal.ts";
import type { Candle } from "../../core/candle.ts";
import { candlesOf } from "../../core/candles.ts";
import { isSwapBetween, priceAtState, type SampledPool } from "./sample-book.ts";
import { sumsOfSteps } from "./swap-count.ts";
import type { PoolAmounts } from "./witnesses.ts";

/** The last transaction of a minute, with the pool before and after it, and the number of transactions in the minute. */
export type OpenedMinute = {
  start: number;
  slot: number;
  time: number;
  before: PoolAmounts;
  after: PoolAmounts;
  count: number;
};

/**
 * Makes minute candles from one transaction a minute. A minute opens at the previous close. Its swaps are counted only
 * if it has a single transaction, since the others are not known.
 */
export function pastMinutes(pool: SampledPool, opened: readonly OpenedMinute[]): Candle[] {
  let close: Decimal | undefined;
  return opened
    .toSorted((a, b) => a.start - b.start)
    .flatMap(({ slot, time, before, after, count }) => {
      const open = close ?? priceAtState(pool, before);
      close = priceAtState(pool, after);
      if (count === 1 && !isSwapBetween(before, after)) return [];
      const sums = count === 1 ? sumsOfSteps([[before, after]], pool.quoteDecimals) : {};
      const block = { block: slot, time, before: open, after: close, ...sums };
      return candlesOf([block], { pool: pool.pool, quote: pool.quote });
    });
}
