import type { RestData } from "../rest-types.ts";
import type { MarketMinute, MarketRecord } from "../stream-types.ts";
import type { Candle } from "../types.ts";
import { compare, type Exact, exact, plus, rounded, textOf, times } from "./exact.ts";

/** Candle intervals, in seconds. */
export const intervalSeconds = {
  "1m": 60,
  "5m": 300,
  "15m": 900,
  "1h": 3600,
  "4h": 14_400,
  "1d": 86_400,
} as const;

export type Interval = keyof typeof intervalSeconds;

/** Prices in dollars or in the chain's coin. */
export type Currency = "usd" | "native";

export type Candles = Pick<RestData<"listCandles">, "candles" | "revision">;

/**
 * Significant digits of prices in dollars. Further digits may differ between candles from the service and candles that
 * the client folds, and a chart must not show this difference.
 */
const dollarDigits = 12;

/** A minute candle that may still be replaced. `candle` is undefined if all swaps of the minute were reverted. */
type Minute = { candle: Candle | undefined; revision: number; block: number };

const minuteMs = 60_000;

/**
 * True for intervals whose candles the service folds from stored hours, using the coin's price at the end of each hour.
 */
const isFoldedFromHours = (interval: Interval) => intervalSeconds[interval] >= 3600;

/** Returns the start of the interval that contains a time. Both are in milliseconds. */
export const startOf = (timeMs: number, interval: Interval): number =>
  timeMs - (timeMs % (intervalSeconds[interval] * 1000));

/**
 * Folds candles into candles of longer intervals, as the service does. Takes and returns them in order of time.
 * Intervals without candles are left out.
 */
export function foldCandles(candles: readonly Candle[], interval: Interval): Candle[] {
  const folded: Candle[] = [];
  for (const candle of candles) {
    const time = new Date(startOf(Date.parse(candle.time), interval)).toISOString();
    const last = folded.at(-1);
    if (last?.time === time) folded[folded.length - 1] = joined(last, candle);
    else folded.push({ ...candle, time });
  }
  return folded;
}

const number = (text: string): Exact => exact(text) as Exact;

type SwapSums = { volume?: string | undefined; trades?: number | undefined };

/** Adds the swaps of two candles. If those of one have not been counted, the total is unknown. */
const sumOf = (first: SwapSums, next: SwapSums) =>
  first.volume === undefined || next.volume === undefined
    ? {}
    : {
        volume: textOf(rounded(plus(number(first.volume), number(next.volume)))),
        trades: (first.trades ?? 0) + (next.trades ?? 0),
      };

const joined = ({ volume, trades, ...first }: Candle, next: Candle): Candle => ({
  ...first,
  ...sumOf({ volume, trades }, next),
  high: compare(number(next.high), number(first.high)) > 0 ? next.high : first.high,
  low: compare(number(next.low), number(first.low)) < 0 ? next.low : first.low,
  close: next.close,
  isFinal: first.isFinal && next.isFinal,
  ...((first.hasGaps ?? next.hasGaps) && { hasGaps: true }),
  ...((first.hasNewPool ?? next.hasNewPool) && { hasNewPool: true }),
});

/**
 * Converts a minute candle of the stream to the form of other candles. Returns undefined if the coin's price in dollars is
 * needed but unknown.
 */
export function minuteCandle(minute: MarketMinute, currency: Currency): Candle | undefined {
  const { time, open, high, low, close, volume, trades, isFinal = false, hasGaps, hasNewPool } = minute;
  const coinUsd = currency === "usd" ? exact(minute.coinUsd) : { mantissa: 1n, exponent: 0 };
  if (coinUsd === undefined) return undefined;
  const convert = (text: string) => textOf(rounded(times(number(text), coinUsd)));
  return {
    time,
    open: convert(open),
    high: convert(high),
    low: convert(low),
    close: convert(close),
    ...(volume !== undefined && { volume: convert(volume) }),
    ...(trades !== undefined && { trades }),
    isFinal,
    ...(hasGaps && { hasGaps }),
    ...(hasNewPool && { hasNewPool }),
  };
}

/**
 * Candles of a token: older ones from the service, and the newest folded from minute candles. Programs that have
 * received the same minute candles show the same candles, whenever they started.
 */
export class CandleSeries {
  readonly #interval: Interval;
  readonly #currency: Currency;
  readonly #lengthMs: number;
  /** Candles from the service, by their start time. */
  readonly #history = new Map<number, Candle>();
  readonly #minutes = new Map<number, Minute>();
  /**
   * Candles folded from all minute candles of an interval, by their start time. Undefined for an interval without
   * swaps.
   */
  readonly #folded = new Map<number, Candle | undefined>();
  /** Intervals that must be folded again. */
  readonly #changed = new Set<number>();
  /** All minute candles from this time on are known. */
  #minutesFromMs = Number.POSITIVE_INFINITY;
  /** End of the newest candle that the service has marked final. All earlier minute candles are final as well. */
  #finalToMs = 0;

  constructor({ interval, currency }: { interval: Interval; currency: Currency }) {
    this.#interval = interval;
    this.#currency = currency;
    this.#lengthMs = intervalSeconds[interval] * 1000;
  }

  /** Adds candles from `listCandles`, in the series' interval and currency. */
  addHistory(answer: Candles): void {
    if (this.#interval === "1m") this.addMinutes(answer, 0);
    else
      for (const candle of answer.candles) {
        const startMs = Date.parse(candle.time);
        this.#history.set(startMs, candle);
        if (candle.isFinal && !candle.partial) this.#noteFinal(startMs + this.#lengthMs);
      }
  }

  /** Adds all minute candles since a given time, from `listCandles` in the series' currency. */
  addMinutes({ candles, revision }: Candles, fromMs: number): void {
    this.#minutesFromMs = Math.min(this.#minutesFromMs, fromMs);
    for (const startMs of this.#minutes.keys()) this.#changed.add(startOf(startMs, this.#interval));
    for (const { partial: _, ...candle } of candles) this.#add(candle.time, { candle, revision, block: -1 });
  }

  /** Adds minute candles of a market from the stream: all that the market's record contains, or only some. */
  addMarket({ revision, block, minutes = [] }: Pick<MarketRecord, "revision" | "block" | "minutes">): void {
    for (const minute of minutes) {
      const candle = minute.trades === 0 ? undefined : minuteCandle(minute, this.#currency);
      if (candle !== undefined || minute.trades === 0) this.#add(minute.time, { candle, revision, block });
    }
  }

  /** Forgets everything, for example when minute candles may have been missed. */
  clear(): void {
    for (const part of [this.#history, this.#minutes, this.#folded, this.#changed]) part.clear();
    this.#minutesFromMs = Number.POSITIVE_INFINITY;
    this.#finalToMs = 0;
  }

  /** Returns the last candles, oldest first. The candle of the current interval is `partial`, and never final. */
  candles(nowMs: number, limit: number): Candle[] {
    for (const startMs of this.#changed) this.#fold(startMs);
    this.#changed.clear();
    const all = new Map(this.#history);
    for (const [startMs, candle] of this.#folded) {
      const known = all.get(startMs);
      if (known !== undefined && !known.partial && isFoldedFromHours(this.#interval)) continue;
      if (candle === undefined) all.delete(startMs);
      // The service knows what came before the first minute.
      else all.set(startMs, known?.hasNewPool ? { ...candle, hasNewPool: true } : candle);
    }
    return [...all]
      .sort(([a], [b]) => a - b)
      .slice(-limit)
      .map(([startMs, candle]) => this.#shown(candle, startMs + this.#lengthMs, nowMs));
  }

  #fold(startMs: number): void {
    // Skips an interval whose first minutes are unknown, because its candle would be wrong.
    if (startMs < this.#minutesFromMs) return;
    const within: Candle[] = [];
    for (let atMs = startMs; atMs < startMs + this.#lengthMs; atMs += minuteMs) {
      const candle = this.#minutes.get(atMs)?.candle;
      if (candle !== undefined) within.push(candle);
    }
    const [folded] = foldCandles(within, this.#interval);
    this.#folded.set(startMs, folded);
  }

  /** Time alone makes no candle final: the stream may still deliver swaps of a past interval. */
  #shown({ partial: _, ...candle }: Candle, endMs: number, nowMs: number): Candle {
    const finalToMs = Math.min(nowMs, this.#finalToMs);
    const show = (text: Candle["open"]) =>
      this.#currency === "usd" ? textOf(rounded(number(text), dollarDigits)) : text;
    const { open, high, low, close, volume } = candle;
    return {
      ...candle,
      open: show(open),
      high: show(high),
      low: show(low),
      close: show(close),
      ...(volume !== undefined && { volume: show(volume) }),
      isFinal: candle.isFinal && endMs <= finalToMs,
      ...(endMs > nowMs && { partial: true }),
    };
  }

  #add(time: string, minute: Minute): void {
    const startMs = Date.parse(time);
    const known = this.#minutes.get(startMs);
    if (known !== undefined && !isNewer(minute, known)) return;
    this.#minutes.set(startMs, minute);
    if (minute.candle?.isFinal) this.#noteFinal(startMs + minuteMs);
    this.#changed.add(startOf(startMs, this.#interval));
  }

  #noteFinal(endMs: number): void {
    this.#finalToMs = Math.max(this.#finalToMs, endMs);
  }
}

/**
 * True if the first state of a minute is newer than the second. A reorganisation raises the revision. Within a
 * revision, minutes become final and swaps are only added, unless a host invented them.
 */
function isNewer({ candle, ...next }: Minute, known: Minute): boolean {
  const changes =
    candle && known.candle
      ? Number(candle.isFinal) - Number(known.candle.isFinal) ||
        (candle.trades ?? 0) - (known.candle.trades ?? 0)
      : 0;
  return (next.revision - known.revision || changes || next.block - known.block) >= 0;
}
