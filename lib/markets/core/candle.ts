import type { Decimal } from "../../core/decimal.ts";

/** Lengths of candle intervals, in seconds. All but the first are folded from shorter ones. */
export const intervalSeconds = {
  "1m": 60,
  "5m": 300,
  "15m": 900,
  "1h": 3600,
  "4h": 14_400,
  "1d": 86_400,
} as const;

export type Interval = keyof typeof intervalSeconds;

export const intervals = Object.keys(intervalSeconds) as Interval[];

/** Sums of an interval's swaps. Both are absent if the swaps have not been counted, which differs from 0. */
export type SwapSums = {
  /** Quote side of the swaps, in whole units of the quote. Each swap adds at most nine decimal places. */
  volume?: Decimal;
  /** Number of swaps. */
  trades?: number;
};

/**
 * The prices of a token in an interval, in the quote of one pool. Only prices before and after each block with swaps
 * count, so a swap that is reversed in the same block shows only in the volume. An interval without swaps has no
 * candle.
 */
export type Candle = SwapSums & {
  /** Start of the interval, in epoch seconds. */
  start: number;
  /**
   * Price before the interval's first block with swaps, or the first known price. It equals the previous close, unless
   * a change of liquidity has moved the price in between.
   */
  open: Decimal;
  high: Decimal;
  low: Decimal;
  close: Decimal;
  /** The pool that the candle describes. */
  pool: CandlePool;
  /** True if two hosts have shown the same swaps after the interval ended. */
  isFinal: boolean;
  /** True if swaps may be missing. */
  hasGaps: boolean;
  /** True for the first candle after the reference pool changed. Computed when candles are shown, and never stored. */
  hasNewPool?: true;
};

/** A pool with its quote: `native`, or the address of a stable token. */
export type CandlePool = { pool: string; quote: string };
