import { compare, type Decimal, zero } from "../../core/decimal.ts";
import type { Candle, CandlePool, SwapSums } from "./candle.ts";
import { chunkEnd, chunkStart, packChunk, unpackChunk } from "./candle-chunk.ts";
import { closeAt, foldCandles, sumOf, withCandles } from "./candles.ts";
import type { DayStatistics } from "./market.ts";

const daySeconds = 86_400;
const hourSeconds = 3600;
const minuteSeconds = 60;

/**
 * The minute candles of a chunk: packed, because a reader holds many of them, and folded into one candle for each
 * quote.
 */
type Part = { packed: Uint8Array; whole: readonly Candle[] };

/**
 * Sums up the candles of 24 hours.
 * @param closeAgo Returns the close this many seconds before the candles' end, or else the oldest known price.
 */
export function summedUp(
  candles: readonly Candle[],
  closeAgo: (seconds: number) => Decimal | undefined,
): DayStatistics {
  const [first] = candles;
  if (first === undefined) return { volume: zero, trades: 0 };
  let [high, low] = [first.high, first.low];
  let sums: SwapSums = { volume: zero, trades: 0 };
  for (const candle of candles) {
    if (compare(candle.high, high) > 0) high = candle.high;
    if (compare(candle.low, low) < 0) low = candle.low;
    sums = sumOf(sums, candle);
  }
  const [hourAgo, dayAgo] = [closeAgo(hourSeconds), closeAgo(daySeconds)];
  return { ...(hourAgo && { hourAgo }), ...(dayAgo && { dayAgo }), high, low, ...sums };
}

/** A token's minute candles of the last 24 hours. */
export class DayWindow {
  readonly #parts = new Map<number, Part>();

  /**
   * Adds minute candles in the order of time, replacing those with the same start. A candle without swaps only removes
   * the old one.
   */
  put(minutes: readonly Candle[]): void {
    for (const [start, changed] of Map.groupBy(minutes, (minute) => chunkStart("minutes", minute.start))) {
      const candles = withCandles(this.#minutesOf(start), changed).filter(({ trades }) => trades !== 0);
      // Folds a chunk's minute candles as one hour, because all of them are in the same hour.
      const whole = foldCandles(candles, "1h").map((candle) => ({ ...candle, start }));
      this.#parts.set(start, { packed: packChunk("minutes", start, candles), whole });
    }
  }

  /** Forgets minute candles that are older than 24 hours at a time in epoch seconds. */
  trim(time: number): void {
    for (const start of this.#parts.keys())
      if (chunkEnd("minutes", start) < time - daySeconds - minuteSeconds) this.#parts.delete(start);
  }

  /** Returns the pool of the last minute candle before this time. */
  poolBefore(minute: number): CandlePool | undefined {
    const own = chunkStart("minutes", minute);
    const before = this.#minutesOf(own).findLast(({ start }) => start < minute);
    const starts = [...this.#parts].flatMap(([start, { whole }]) =>
      start < own && whole.length > 0 ? [start] : [],
    );
    return (before ?? this.#parts.get(Math.max(...starts))?.whole.at(-1))?.pool;
  }

  /** True if minute candles in the 24 hours before a time may lack swaps. */
  hasGaps(time: number): boolean {
    return this.#candles(time).some(({ hasGaps }) => hasGaps);
  }

  /**
   * Sums up the minute candles that start in the 24 hours before a time.
   *
   * @param quote The quote of the sums. Candles in any other quote are left out, because no sum can mix quotes.
   */
  statistics(quote: string, time: number): DayStatistics {
    const candles = this.#candles(time).filter(({ pool }) => pool.quote === quote);
    return summedUp(candles, (secondsAgo) => this.#closeBefore(quote, time - secondsAgo));
  }

  /** Returns the close of the last minute candle that ended by a time, or else the first known price. */
  #closeBefore(quote: string, time: number) {
    const start = chunkStart("minutes", time - minuteSeconds);
    const candles = this.#sorted()
      .flatMap(([at, { whole }]) => (at === start ? this.#minutesOf(start) : whole))
      .filter(({ pool }) => pool.quote === quote);
    return closeAt(candles, time - minuteSeconds);
  }

  /**
   * Returns the minute candles that start in the 24 hours before a time. Chunks that lie wholly in these hours are
   * returned as folded candles.
   */
  #candles(time: number): Candle[] {
    const from = time - daySeconds;
    return this.#sorted().flatMap(([start, { whole }]) => {
      if (start >= from && chunkEnd("minutes", start) <= time) return whole;
      return this.#minutesOf(start).filter((minute) => minute.start >= from && minute.start < time);
    });
  }

  #sorted() {
    return [...this.#parts].toSorted(([a], [b]) => a - b);
  }

  #minutesOf(start: number): Candle[] {
    const packed = this.#parts.get(start)?.packed;
    return packed === undefined ? [] : (unpackChunk("minutes", start, packed) ?? []);
  }
}
