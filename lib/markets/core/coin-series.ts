import { compare, type Decimal, zero } from "../../core/decimal.ts";
import type { Candle } from "./candle.ts";
import { intervalStart } from "./candles.ts";

/** A coin's price in dollars, and its source: an exchange, or the venue of a pool. */
export type CoinPrice = { usd: Decimal; source: string };

/** Returns the coin's price in dollars in the minute with this start. */
export type CoinUsdAt = (start: number) => Decimal | undefined;

/** The quote of the coin's own candles. */
const dollars = "usd";

/**
 * Maximum number of minutes to keep. They are needed to correct the minute candles of tokens and those of the previous
 * run.
 */
const keptMinutes = 130;

/** The prices of a chain's coin in dollars, minute by minute. */
export class CoinSeries {
  #minutes: Candle[];

  /** @param minutes The last known minute candles, in the order of time. */
  constructor(minutes: readonly Candle[] = []) {
    this.#minutes = minutes.slice(-keptMinutes);
  }

  /** Adds a price that was read at a time in epoch seconds. Times must not decrease. */
  add({ usd, source }: CoinPrice, time: number): void {
    const start = intervalStart(time, "1m");
    const last = this.#minutes.at(-1);
    if (last?.start === start) {
      this.#minutes[this.#minutes.length - 1] = {
        ...last,
        high: compare(usd, last.high) > 0 ? usd : last.high,
        low: compare(usd, last.low) < 0 ? usd : last.low,
        close: usd,
        pool: { pool: source, quote: dollars },
      };
      return;
    }
    // Ignores the old price after a pause, because it says nothing about this minute.
    const open = last?.start === start - 60 ? last.close : usd;
    const [low, high] = compare(open, usd) < 0 ? [open, usd] : [usd, open];
    const pool = { pool: source, quote: dollars };
    const whole = { volume: zero, trades: 0, isFinal: false, hasGaps: false };
    this.#minutes = [...this.#minutes, { start, open, high, low, close: usd, pool, ...whole }].slice(
      -keptMinutes,
    );
  }

  /** Returns the minute candles that start at `from` or later and ended by `time`. Both are in epoch seconds. */
  ended(from: number, time: number): Candle[] {
    const within = this.#minutes.filter(({ start }) => start >= from && start + 60 <= time);
    return within.map((candle) => ({ ...candle, isFinal: true }));
  }

  /**
   * Returns the coin's price at the end of a minute, or the current one if the minute has not ended. Undefined if no
   * known price is younger than an hour.
   */
  usdAt(start: number): Decimal | undefined {
    const found = this.#minutes.findLast((candle) => candle.start <= start);
    return found !== undefined && start - found.start <= 3600 ? found.close : undefined;
  }
}
