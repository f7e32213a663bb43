import type { Decimal } from "../../core/decimal.ts";

/** The intervals of candles, in seconds. All but the first are folded from shorter ones. */
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

/**
 * The prices of a token in an interval, in the quote of one pool: those before and after each block with swaps. So a swap
 * and its reversal in one block leave no trace but their volume. An interval without swaps has no candle.
 */
export type Candle = {
  /** The start of the interval, in epoch seconds. */
  start: number;
  /**
   * The price before its first block with swaps, or the first price that is known. This is the close before, unless liquidity
   * alone has moved the price since.
   */
  open: Decimal;
  high: Decimal;
  low: Decimal;
  close: Decimal;
  /** The quote side of its swaps, in whole units of the quote. That of each swap has at most nine decimal places. */
  volume: Decimal;
  /** The number of its swaps. */
  trades: number;
  /** The pool that it describes. */
  pool: CandlePool;
  /** True if two hosts have shown the same swaps, after the interval ended. */
  isFinal: boolean;
  /** True if swaps may be missing. */
  hasGaps: boolean;
  /** True for the first one after another pool became the reference. Found when candles are shown, and not stored. */
  hasNewPool?: true;
};

/** A pool with its quote: `native`, or the address of a stable token. */
export type CandlePool = { pool: string; quote: string };
