import { isDeepStrictEqual } from "node:util";
import { type Decimal, zero } from "../../../core/decimal.ts";
import { type Candle, intervalSeconds } from "../../core/candle.ts";
import { candlesOf, foldCandles, intervalStart, swapBlocksOf, withoutSwaps } from "../../core/candles.ts";
import type { ReaderTime } from "../../core/market-book.ts";
import type { Header } from "./event-reading.ts";
import type { PoolEvent, WatchedPool } from "./watched-pool.ts";

/** A block that two hosts have confirmed. */
export type Anchor = Header & { block: number };

/** A pool's state at an anchor, from which the pool's candles can continue. */
export type PoolBase = Anchor & {
  word?: bigint;
  price?: Decimal;
  /** Candle of the anchor's minute, up to the anchor. Absent if there were no swaps. */
  minute?: Candle;
  /** True if the anchor's minute is known from its beginning. */
  isWhole: boolean;
};

/** Notes of a reader about a watched pool. */
export type PoolBook = {
  readonly pool: WatchedPool;
  /**
   * Bases, the oldest first. After a reorganisation, the book may continue from an older one. Empty until two hosts
   * agree on the pool's state.
   */
  bases: PoolBase[];
  /** Events after the last base, in the order of the chain. */
  events: PoolEvent[];
  /** Last block up to which two hosts agree on the events. Undefined if there is no base. */
  proven: Anchor | undefined;
  /** Block up to which the events of the first host are known. */
  readTo: number;
  /** State at the last look, if the events explain it. Undefined if the events must be read again. */
  word: bigint | undefined;
  /** Price at the last look. */
  price: Decimal | undefined;
  /** Hosts whose events do not explain the states that they show, and the time since when this is so. */
  unexplained: { sinceMs: number; hosts: ReadonlySet<string> } | undefined;
  /** Time when the book was started. */
  readonly sinceMs: number;
  /** Number of failed proofs since the last success, and the time of the next attempt. */
  retry: { failures: number; atMs: number } | undefined;
  /** Minute candles as they were last taken, by start. */
  shown: Map<number, Candle>;
  /** Block up to which the book was proven when minute candles were last taken. */
  takenTo: number;
  /** Minute candles that clients were shown but that became unknown when blocks were taken back. */
  lost: Candle[];
};

export const newBook = (pool: WatchedPool, sinceMs: number): PoolBook => ({
  pool,
  sinceMs,
  bases: [],
  events: [],
  proven: undefined,
  readTo: 0,
  word: undefined,
  price: undefined,
  unexplained: undefined,
  retry: undefined,
  shown: new Map(),
  takenTo: -1,
  lost: [],
});

const minuteSeconds = intervalSeconds["1m"];

export const minuteOf = (time: number): number => intervalStart(time, "1m");

/** Time after the end of a minute. From then on, the minute counts as having gaps until it is proven. */
const graceSeconds = 60;

/** Time that a book continuing another run has to prove its minutes again. */
const startMs = 30_000;

/** Time after which a state that no events explain counts as doubtful. */
export const mostUnexplainedMs = 10_000;

/** Starts a book at the last of the given bases, which are in the order of time. All later events are then unknown. */
export function startBook(book: PoolBook, bases: readonly PoolBase[]): void {
  const base = bases.at(-1);
  if (base === undefined) return;
  Object.assign(book, { bases: [...bases], events: [], proven: anchorOf(base), readTo: base.block });
  Object.assign(book, { word: undefined, retry: undefined });
}

/** Ages of the older bases that another run gets, in seconds before the last base. */
const keptAges = [3000, 900, 240];

/**
 * Returns bases for another run to continue from. The last one is old enough that deeper reorganisations are rare. The
 * older bases serve such reorganisations, which would otherwise leave wrong minute candles.
 */
export function basesToKeep({ bases }: PoolBook): PoolBase[] {
  const last = bases.at(-1);
  if (last === undefined) return [];
  const older = keptAges.map((age) => bases.findLast(({ time }) => time <= last.time - age) ?? bases[0]);
  return bases.filter((base) => base === last || older.includes(base));
}

const anchorOf = ({ block, hash, time }: Anchor): Anchor => ({ block, hash, time });

const provenBlock = ({ proven }: PoolBook) => proven?.block ?? -1;

/**
 * Returns the first block whose events are still needed. The last block that was read is included because it may have
 * been replaced.
 */
export const firstUnread = (book: PoolBook): number => Math.max(book.readTo, provenBlock(book) + 1);

/** Returns the state of a pool after a block, according to its events. */
export const wordAfter = ({ bases, events }: PoolBook, block: number): bigint | undefined =>
  events.findLast((event) => event.block <= block && event.word !== undefined)?.word ?? bases.at(-1)?.word;

/** True if the times of events fit the earlier events. */
export function follows(book: PoolBook, from: number, [first]: readonly PoolEvent[]): boolean {
  const before = book.events.findLast(({ block }) => block < from);
  return first === undefined || first.time >= Math.max(before?.time ?? 0, book.proven?.time ?? 0);
}

/** Returns the events after the proven part, up to a block. */
export const unprovenEvents = (book: PoolBook, to: number): PoolEvent[] =>
  book.events.filter(({ block }) => block > provenBlock(book) && block <= to);

/** Replaces the events in a range of blocks, except proven events. */
export function replaceEvents(book: PoolBook, from: number, to: number, events: readonly PoolEvent[]): void {
  const first = Math.max(from, provenBlock(book) + 1);
  book.events = [
    ...book.events.filter(({ block }) => block < first),
    ...events.filter(({ block }) => block >= first && block <= to),
    ...book.events.filter(({ block }) => block > to),
  ];
}

/**
 * Notes that two hosts agree on the events up to an anchor. Drops later events of one host if they contradict the
 * anchor's time.
 */
export function proveBook(book: PoolBook, anchor: Anchor): void {
  if (book.events.some(({ block, time }) => block > anchor.block && time < anchor.time)) {
    book.events = book.events.filter(({ block }) => block <= anchor.block);
    Object.assign(book, { readTo: anchor.block, word: undefined });
  }
  book.proven = anchor;
  book.readTo = Math.max(book.readTo, anchor.block);
  book.retry = undefined;
}

/** Takes back all proofs since the last base, because another host contradicts them. */
export function doubtBook(book: PoolBook): void {
  const base = book.bases.at(-1);
  book.proven = base && anchorOf(base);
  book.takenTo = provenBlock(book);
}

/**
 * Forgets everything after a block. If there is no base up to that block, no minute remains known.
 *
 * @param anchors The remaining anchors, the oldest first.
 */
export function cutBook(book: PoolBook, last: number, anchors: readonly Anchor[]): void {
  const before = book.bases.at(-1);
  book.bases = book.bases.filter(({ block }) => block <= last);
  const base = book.bases.at(-1);
  if (base === undefined) {
    book.lost = [...book.shown.values()].map((minute) => ({ ...minute, isFinal: false, hasGaps: true }));
    book.shown = new Map(book.lost.map((minute) => [minute.start, minute]));
  }
  // Events between two bases are not kept, so after a cut to an older base, none after that base remain.
  const kept = base === before ? last : (base?.block ?? -1);
  const provenTo = Math.min(kept, provenBlock(book));
  const proven = anchors.findLast(({ block }) => block <= provenTo);
  book.events = book.events.filter(({ block }) => block <= kept);
  book.proven = base && anchorOf(proven !== undefined && proven.block > base.block ? proven : base);
  book.readTo = Math.max(Math.min(book.readTo, kept), provenBlock(book));
  Object.assign(book, { word: undefined, retry: undefined, takenTo: Math.min(book.takenTo, kept) });
  // Until the events are read again, minute candles after the proven part may be wrong.
  for (const minute of book.shown.values()) {
    if (!minute.isFinal || minute.start + minuteSeconds <= (book.proven?.time ?? 0)) continue;
    const doubtful = { ...minute, isFinal: false };
    book.lost.push(doubtful);
    book.shown.set(minute.start, doubtful);
  }
}

/** Describes a pool at an anchor up to which its events are proven. Undefined if there is no base. */
export function baseAt(book: PoolBook, { block, hash, time }: Anchor): PoolBase | undefined {
  const last = book.bases.at(-1);
  if (last === undefined) return undefined;
  const events = book.events.filter((event) => event.block <= block);
  const [minute] = candlesUpTo(book, events).slice(-1);
  const word = wordAfter(book, block);
  const price = events.findLast((event) => event.price !== undefined)?.price ?? last.price;
  return {
    block,
    hash,
    time,
    ...(word !== undefined && { word }),
    ...(price !== undefined && { price }),
    ...(minute?.start === minuteOf(time) && { minute }),
    isWhole: last.isWhole || minuteOf(last.time) !== minuteOf(time),
  };
}

/**
 * Adds the part of a pool's first minute that lies before the pool's first base.
 *
 * @param part The candle of the swaps in that part. Undefined if there were no swaps.
 */
export function completeFirstMinute(book: PoolBook, part: Candle | undefined): void {
  const start = minuteOf(book.bases[0]?.time ?? 0);
  book.bases = book.bases.map((base): PoolBase => {
    if (base.isWhole || minuteOf(base.time) !== start) return base;
    const [minute] = foldCandles(
      [part, base.minute].filter((each) => each !== undefined),
      "1m",
    );
    return { ...base, ...(minute && { minute }), isWhole: true };
  });
}

/** Adds a base at an anchor, if minute candles up to it were taken as final. Forgets bases that are too old. */
export function rebase(book: PoolBook, anchor: Anchor | undefined, oldestTime: number): void {
  const base = anchor && anchor.block > (book.bases.at(-1)?.block ?? Infinity) && baseAt(book, anchor);
  if (base) {
    book.bases = [...book.bases, base];
    book.events = book.events.filter(({ block }) => block > base.block);
  }
  book.bases = book.bases.filter(({ time }, index) => time >= oldestTime || index === book.bases.length - 1);
}

function candlesUpTo({ pool: { pool, quote }, bases }: PoolBook, events: readonly PoolEvent[]): Candle[] {
  const base = bases.at(-1);
  const candles = candlesOf(swapBlocksOf(events, base?.price), { pool, quote });
  return base?.minute ? foldCandles([base.minute, ...candles], "1m") : candles;
}

/** Returns the minute candles since the last base. The last one may not have ended yet. */
export function minutesOf(book: PoolBook, { blockTime, nowMs }: ReaderTime): Candle[] {
  const base = book.bases.at(-1);
  if (base === undefined) return [];
  const isUnexplained = nowMs - (book.unexplained?.sinceMs ?? nowMs) >= mostUnexplainedMs;
  return candlesUpTo(book, book.events).map((candle) => {
    const end = candle.start + minuteSeconds;
    const isPartial = !base.isWhole && candle.start <= base.time;
    const isFinal = !isPartial && (book.proven?.time ?? 0) >= end;
    const isLate = isUnexplained || (blockTime >= end + graceSeconds && nowMs - book.sinceMs >= startMs);
    return { ...candle, isFinal, hasGaps: isPartial || (!isFinal && isLate) };
  });
}

/** Adds minute candles that earlier runs have shown, so that wrong ones can be taken back. */
export function addShown(book: PoolBook, minutes: readonly Candle[]): void {
  const oldest = minuteOf(book.bases[0]?.time ?? Number.POSITIVE_INFINITY);
  for (const minute of minutes)
    if (minute.pool.pool === book.pool.pool && minute.start >= oldest && !book.shown.has(minute.start))
      book.shown.set(minute.start, minute);
}

/**
 * Returns the minute candles that have changed since they were last taken. If all swaps of a minute were taken back,
 * its candle has no swaps. If a minute can no longer be known, its candle has gaps.
 */
export function takeChangedMinutes(book: PoolBook, time: ReaderTime): Candle[] {
  // A run that continues another one or follows a fork has not yet read the events of all minutes.
  const isRead = (start: number) =>
    book.word !== undefined || start + minuteSeconds <= (book.proven?.time ?? 0);
  const minutes = minutesOf(book, time);
  const changed = minutes.filter(
    (minute) =>
      (isRead(minute.start) || minute.hasGaps) && !isDeepStrictEqual(book.shown.get(minute.start), minute),
  );
  const base = book.bases.at(-1);
  const starts = new Set(minutes.map(({ start }) => start));
  // If the base's minute is not known from its beginning, swaps in it before the base are unknown.
  const first = base && minuteOf(base.time) + (base.isWhole ? 0 : minuteSeconds);
  const isGone = (start: number) =>
    first !== undefined && start >= first && !starts.has(start) && isRead(start);
  const gone = [...book.shown.keys()].filter(isGone).map((start): Candle => {
    const pool = { pool: book.pool.pool, quote: book.pool.quote };
    const price = minutes.findLast((minute) => minute.start < start)?.close ?? base?.price ?? zero;
    return withoutSwaps(start, { pool, price });
  });
  const replaced = new Set([...gone, ...changed].map(({ start }) => start));
  const lost = book.lost.filter(({ start }) => !replaced.has(start));
  const taken = [...lost, ...gone, ...changed].toSorted((a, b) => a.start - b.start);
  book.lost = [];
  book.takenTo = provenBlock(book);
  for (const { start } of gone) book.shown.delete(start);
  for (const minute of changed) book.shown.set(minute.start, minute);
  const oldest = minuteOf(book.bases[0]?.time ?? 0);
  for (const start of book.shown.keys()) if (start < oldest) book.shown.delete(start);
  return taken;
}
