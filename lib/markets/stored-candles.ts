import { epochSeconds } from "../core/time.ts";
import type { Table } from "../table/table.ts";
import { type Candle, intervalSeconds } from "./core/candle.ts";
import { type ChunkKind, chunkIntervals, chunkStart } from "./core/candle-chunk.ts";
import { type CandleRange, finerThan } from "./core/candle-range.ts";
import { closeAt, intervalStart } from "./core/candles.ts";
import { summedUp } from "./core/day-window.ts";
import type { DayStatistics, TokenName } from "./core/market.ts";
import { readChunks } from "./items/chunk-items.ts";

/** A candle with the length of its interval. */
export type StoredCandle = { candle: Candle; seconds: number };

export type StoredCandles = {
  /** Candles in the order of time. The newest ones are shorter than the others. */
  candles: StoredCandle[];
  /** Highest revision of the candles' chunks. */
  revision: number;
};

/**
 * How far back from now shorter candles may replace the newest stored ones, in seconds. The last parts of those may not
 * be folded in yet. Shorter candles also fill a gap after the stored ones, if the gap lies within this time.
 */
const tailSeconds: Readonly<Record<ChunkKind, number>> = {
  minutes: 0,
  hours: 24 * 3600,
  days: 30 * 86_400,
};

/** Reads the candles of a token that start within a range. */
export async function storedCandles(
  table: Table,
  token: TokenName,
  { kind, range: { from, to }, now }: { kind: ChunkKind; range: CandleRange; now: number },
): Promise<StoredCandles> {
  if (from >= to) return { candles: [], revision: 0 };
  const chunks = await readChunks(table, token, kind, { from: chunkStart(kind, from), to: to - 1 });
  const interval = chunkIntervals[kind];
  const seconds = intervalSeconds[interval];
  const candles = chunks
    .flatMap((chunk) => chunk.candles)
    .filter(({ start }) => start >= from && start < to)
    .map((candle) => ({ candle, seconds }));
  const revision = Math.max(0, ...chunks.map((chunk) => chunk.revision));
  const finer = finerThan(kind);
  if (finer === undefined) return { candles, revision };

  const next = (candles.at(-1)?.candle.start ?? from - seconds) + seconds;
  const begun = intervalStart(now, interval);
  const tail = Math.max(
    from,
    Math.min(begun - seconds, next),
    intervalStart(now - tailSeconds[kind], interval),
  );
  const rest = await storedCandles(table, token, { kind: finer, range: { from: tail, to }, now });
  return {
    candles: [...candles.filter(({ candle }) => candle.start < tail), ...rest.candles],
    revision: Math.max(revision, rest.revision),
  };
}

const daySeconds = 86_400;
const hourSeconds = 3600;
const minuteSeconds = 60;

/**
 * Sums up the stored candles of the last 24 hours in one quote. Minute candles are stored a few seconds after the
 * minute ends.
 */
export async function storedDay(
  table: Table,
  name: TokenName,
  { quote, now }: { quote: string; now: Date },
): Promise<DayStatistics> {
  const time = epochSeconds(now);
  const to = intervalStart(time, "1m") + minuteSeconds;
  const from = to - daySeconds;
  const firstWhole = intervalStart(from, "1h") + hourSeconds;
  // Reads minute candles for the first hour, because only that hour may begin more than a day ago.
  const [first, rest] = await Promise.all([
    storedCandles(table, name, {
      kind: "minutes",
      range: { from: intervalStart(from - minuteSeconds, "1h"), to: firstWhole },
      now: time,
    }),
    storedCandles(table, name, { kind: "hours", range: { from: firstWhole, to }, now: time }),
  ]);
  const candles = [...first.candles, ...rest.candles]
    .map(({ candle }) => candle)
    .filter(({ pool }) => pool.quote === quote);
  return summedUp(
    candles.filter(({ start }) => start >= from),
    (secondsAgo) => closeAt(candles, to - secondsAgo - minuteSeconds),
  );
}
