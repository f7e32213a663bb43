import { type Decimal, ratioOf } from "../../../core/decimal.ts";
import { type Candle, type CandlePool, intervalSeconds, type SwapSums } from "../../core/candle.ts";
import { candlesOf, foldCandles, intervalStart } from "../../core/candles.ts";
import type { PoolAmounts, PoolSighting } from "./witnesses.ts";

/** A pool whose states are sampled. */
export type SampledPool = CandlePool & { decimals: number; quoteDecimals: number };

/** Facts about a pool that follow from its sampled states. */
export type SampleBook = {
  readonly pool: SampledPool;
  /** The last known state. */
  last: PoolSighting | undefined;
  /** The first known state of this run, or of the run that it continues. */
  first: { slot: number; time: number } | undefined;
  /** Time from which on all swaps are known. */
  from: number | undefined;
  /** States of the last minutes, in which swaps can be counted. */
  samples: PoolSighting[];
  /** Minute candles that may still change, by start. */
  minutes: Map<number, Candle>;
  /** Starts of minutes whose swaps have been counted, or cannot be. */
  settled: Set<number>;
  /** Starts of the minutes that have changed since they were last taken. */
  changed: Set<number>;
};

const minuteSeconds = intervalSeconds["1m"];

/** Time between two known states after which swaps between them may be missing. */
export const mostGapSeconds = 10;

/** Time for which minutes and their samples are kept after their end, in seconds. */
const keptSeconds = 240;

const minuteOf = (time: number) => intervalStart(time, "1m");

/**
 * @param last The last state that an earlier run knew, from which the book continues.
 * @param minutes The minute candles that the earlier run has stored.
 */
export function newSampleBook(
  pool: SampledPool,
  last?: PoolSighting,
  minutes: readonly Candle[] = [],
): SampleBook {
  const open = last && minutes.filter((each) => each.pool.pool === pool.pool && !each.isFinal);
  return {
    pool,
    last,
    first: last,
    from: last && 0,
    samples: last === undefined ? [] : [last],
    minutes: new Map(
      open
        ?.filter(({ start }) => start >= minuteOf(last?.time ?? 0) - keptSeconds)
        .map((each) => [each.start, each]),
    ),
    settled: new Set(),
    changed: new Set(),
  };
}

/** Computes the price at a state, in whole units of the quote. Undefined if the pool is empty. */
export function priceAtState(
  { decimals, quoteDecimals }: Pick<SampledPool, "decimals" | "quoteDecimals">,
  { coins, tokens }: PoolAmounts,
): Decimal | undefined {
  if (coins <= 0n || tokens <= 0n) return undefined;
  return ratioOf(coins * 10n ** BigInt(decimals), tokens * 10n ** BigInt(quoteDecimals));
}

/** True if a swap explains the change between two states. Liquidity moves both amounts in the same direction. */
export const isSwapBetween = (before: PoolAmounts, after: PoolAmounts): boolean =>
  (after.coins - before.coins) * (after.tokens - before.tokens) < 0n;

/** Adds a state that is known to be true. States must come in the order of their slots. */
export function addSample(book: SampleBook, sighting: PoolSighting): void {
  const { pool, last } = book;
  // Several slots may have the same time, and two hosts' clocks may differ by a second.
  const sample = { ...sighting, time: Math.max(sighting.time, last?.time ?? 0) };
  book.first ??= sample;
  book.from ??= sample.time;
  if (last !== undefined && isSwapBetween(last, sample)) {
    const after = priceAtState(pool, sample);
    const block = { block: sample.slot, time: sample.time, before: priceAtState(pool, last), after };
    const start = minuteOf(sample.time);
    const isPartial = start < book.from || sample.time - last.time > mostGapSeconds;
    const known = book.minutes.get(start);
    const fresh = candlesOf([block], { pool: pool.pool, quote: pool.quote });
    const [minute] = foldCandles([...(known === undefined ? [] : [known]), ...fresh], "1m");
    if (minute !== undefined) {
      book.minutes.set(start, { ...minute, hasGaps: minute.hasGaps || isPartial });
      book.changed.add(start);
    }
  }
  book.last = sample;
  book.samples.push(sample);
  forgetOld(book, sample.time);
}

function forgetOld(book: SampleBook, time: number): void {
  const oldest = minuteOf(time) - keptSeconds;
  const first = book.samples.findIndex((sample) => sample.time >= oldest);
  // Keeps the last state before the oldest minute, because that minute begins with it.
  if (first > 1) book.samples.splice(0, first - 1);
  for (const [start] of book.minutes)
    if (start < oldest && !book.changed.has(start)) book.minutes.delete(start);
  for (const start of book.settled) if (start < oldest) book.settled.delete(start);
}

/** Lists the starts of minutes that are over but not settled. */
export const unsettledMinutes = ({ minutes, settled, last }: SampleBook): number[] =>
  [...minutes.keys()].filter((start) => !settled.has(start) && start + minuteSeconds <= (last?.time ?? 0));

/**
 * Returns the states in a minute, with the last one before it. Undefined if swaps may be missing, so that they cannot be
 * counted.
 */
export function samplesOf({ samples, minutes }: SampleBook, start: number): PoolSighting[] | undefined {
  const first = samples.findLastIndex(({ time }) => time < start);
  if (first < 0 || minutes.get(start)?.hasGaps !== false) return undefined;
  return samples.slice(first).filter(({ time }) => time < start + minuteSeconds);
}

/** Settles a minute that is over, with the sums of its swaps if they are known. It does not change any more. */
export function settleMinute(book: SampleBook, start: number, sums: SwapSums | undefined): void {
  const minute = book.minutes.get(start);
  if (minute === undefined || book.settled.has(start)) return;
  book.settled.add(start);
  book.minutes.set(start, { ...minute, ...sums, isFinal: !minute.hasGaps });
  book.changed.add(start);
}

/** Takes the minute candles that have changed since they were last taken. */
export function takeSampledMinutes(book: SampleBook): Candle[] {
  const taken = [...book.changed].toSorted((a, b) => a - b).flatMap((start) => book.minutes.get(start) ?? []);
  book.changed.clear();
  return taken;
}

/** Price at the last known state. */
export const priceIn = ({ pool, last }: SampleBook): Decimal | undefined => last && priceAtState(pool, last);
