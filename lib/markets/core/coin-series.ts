import { compare, type Decimal, zero } from "../../core/decimal.ts";
import type { Candle } from "./candle.ts";
import { intervalStart } from "./candles.ts";

/** A coin's price in dollars, and where it comes from: an exchange, or the venue of a pool. */
export type CoinPrice = { usd: Decimal; source: string };

/** Prices of the coin in dollars, by the start of a minute. */
export type CoinUsdAt = (start: number) => Decimal | undefined;

/** The quote of the candles of coins. */
const dollars = "usd";

/** Minutes are kept for corrections of tokens' minutes, and for those of the run before. */
const keptMinutes = 130;

/** The prices of a chain's coin in dollars, minute by minute. */
export class CoinSeries {
  #minutes: Candle[];

  /** @param minutes The last minutes that are known, in the order of time. */
  constructor(minutes: readonly Candle[] = []) {
    this.#minutes = minutes.slice(-keptMinutes);
  }

  /** Adds a price that was read at a time in epoch seconds. Times do not go back. */
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
    // After a pause, the old price says nothing about this minute.
    const open = last?.start === start - 60 ? last.close : usd;
    const [low, high] = compare(open, usd) < 0 ? [open, usd] : [usd, open];
    const pool = { pool: source, quote: dollars };
    const whole = { volume: zero, trades: 0, isFinal: false, hasGaps: false };
    this.#minutes = [...this.#minutes, { start, open, high, low, close: usd, pool, ...whole }].slice(
      -keptMinutes,
    );
  }

  /** The minutes that ended at a time in epoch seconds or before, from another one on. */
  ended(from: number, time: number): Candle[] {
    const within = this.#minutes.filter(({ start }) => start >= from && start + 60 <= time);
    return within.map((candle) => ({ ...candle, isFinal: true }));
  }

  /** The price at the end of a minute, or now. Undefined if none is known that is younger than an hour. */
  usdAt(start: number): Decimal | undefined {
    const found = this.#minutes.findLast((candle) => candle.start <= start);
    return found !== undefined && start - found.start <= 3600 ? found.close : undefined;
  }
}
