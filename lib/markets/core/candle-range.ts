import { type Interval, intervalSeconds } from "./candle.ts";
import { type ChunkKind, chunkKinds } from "./candle-chunk.ts";

/** How long candles are kept after the end of their chunk, in seconds. Daily candles are kept forever. */
export const keptSeconds: Readonly<Record<ChunkKind, number | undefined>> = {
  minutes: 8 * 86_400,
  hours: 400 * 86_400,
  days: undefined,
};

/** The kind of chunks from whose candles each interval is folded. */
export const chunkKindOf: Readonly<Record<Interval, ChunkKind>> = {
  "1m": "minutes",
  "5m": "minutes",
  "15m": "minutes",
  "1h": "hours",
  "4h": "hours",
  "1d": "days",
};

/** Returns the kind of chunks with the next shorter candles. */
export const finerThan = (kind: ChunkKind): ChunkKind | undefined => chunkKinds[chunkKinds.indexOf(kind) - 1];

type AskedRange = {
  interval: Interval;
  /** Start of the range, in ISO 8601. */
  from?: string | undefined;
  to?: string | undefined;
  limit: number;
};

/**
 * A range of candles in epoch seconds. The range contains candles that start at `from` or later and before `to`. `from`
 * is the start of an interval.
 */
export type CandleRange = { from: number; to: number };

/** Maximum number of seconds by which a client's clock may be ahead. */
const mostAheadSeconds = 60;

/**
 * Reads a range of candles, cut to the time for which candles are stored. If the range is invalid, returns the problem
 * in words that follow the field's name.
 */
export function candleRange(
  { interval, from, to, limit }: AskedRange,
  now: Date,
): CandleRange | { field: "from"; problem: string } {
  const seconds = intervalSeconds[interval];
  const nowSeconds = Math.ceil(now.getTime() / 1000);
  const [start, end] = [from, to].map((time) =>
    time === undefined ? undefined : Math.ceil(Date.parse(time) / 1000),
  );
  if (start !== undefined && start > nowSeconds + mostAheadSeconds)
    return { field: "from", problem: "must not be in the future" };
  if (start !== undefined && end !== undefined && start >= end)
    return { field: "from", problem: "must be before to" };
  const last = Math.max(0, Math.min(end ?? nowSeconds, nowSeconds));
  const kept = keptSeconds[chunkKindOf[interval]];
  const first = Math.max(start ?? last - limit * seconds, kept === undefined ? 0 : nowSeconds - kept);
  return { from: Math.ceil(first / seconds) * seconds, to: last };
}
