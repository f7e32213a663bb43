import { isDeepStrictEqual } from "node:util";
import { type Decimal, zero } from "../../../core/decimal.ts";
import { type Candle, intervalSeconds } from "../../core/candle.ts";
import { candlesOf, foldCandles, intervalStart, swapBlocksOf, withoutSwaps } from "../../core/candles.ts";
import type { Header } from "./event-reading.ts";
import type { PoolEvent, WatchedPool } from "./watched-pool.ts";

/** A block that two hosts have confirmed. */
export type Anchor = Header & { block: number };

/** A pool at an anchor from which its candles can continue. */
export type PoolBase = Anchor & {
  word?: bigint;
  price?: Decimal;
  /** Candle of the anchor's minute, up to the anchor. Absent without swaps. */
  minute?: Candle;
  /** True if the anchor's minute is known from its start. */
  isWhole: boolean;
};

/** A reader's memory of a watched pool. */
export type PoolBook = {
  readonly pool: WatchedPool;
  /**
   * Bases, the oldest first. A reorganisation may lead back to older ones. Empty until two hosts agree on the pool's
   * state.
   */
  bases: PoolBase[];
  /** Events after the last base, in the order of the chain. */
  events: PoolEvent[];
  /** Last block up to which two hosts agree on the events. Undefined without a base. */
  proven: Anchor | undefined;
  /** Block up to which the first host's events are known. */
  readTo: number;
  /** State of the last look, if the events explain it. Undefined if the events must be read again. */
  word: bigint | undefined;
  /** Price at the last look. */
  price: Decimal | undefined;
  /** Hosts whose events do not explain their states, and the time when this began. */
  unexplained: { sinceMs: number; hosts: ReadonlySet<string> } | undefined;
  /** Time when the book was begun. */
  readonly sinceMs: number;
  /** Number of failed proofs since the last success, and the time to try again. */
  retry: { failures: number; atMs: number } | undefined;
  /** Minutes as they were last taken, by start. */
  shown: Map<number, Candle>;
  /** Block up to which the book was proven when minutes were last taken. */
  takenTo: number;
  /** Minutes that were shown but became unknown when blocks were taken back. */
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

/** Time after a minute's end from which it has gaps until it is proven. */
const graceSeconds = 60;

/** Time in which a book that continues another run proves its minutes again. */
const startMs = 30_000;

/** Time after which a state that no events explain is doubtful. */
export const mostUnexplainedMs = 10_000;

/**
 * Starts a book at the last of some bases, which are sorted by age, the oldest first. All later events are unknown
 * then.
 */
export function startBook(book: PoolBook, bases: readonly PoolBase[]): void {
  const base = bases.at(-1);
  if (base === undefined) return;
  Object.assign(book, { bases: [...bases], events: [], proven: anchorOf(base), readTo: base.block });
  Object.assign(book, { word: undefined, retry: undefined });
}

/** Ages of the bases that another run gets besides the last one, in seconds before it. */
const keptAges = [3000, 900, 240];

/**
 * Returns bases for another run to continue from. The last one is old enough that deeper reorganisations are rare.
 * Older bases are for those, which would otherwise leave wrong minutes behind.
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

/** Replaces the events of some blocks, except proven events. */
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
 * Forgets everything after a block. Without a base up to that block, no minute remains known.
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
  // The events between two bases are not kept.
  const kept = base === before ? last : (base?.block ?? -1);
  const provenTo = Math.min(kept, provenBlock(book));
  const proven = anchors.findLast(({ block }) => block <= provenTo);
  book.events = book.events.filter(({ block }) => block <= kept);
  book.proven = base && anchorOf(proven !== undefined && proven.block > base.block ? proven : base);
  book.readTo = Math.max(Math.min(book.readTo, kept), provenBlock(book));
  Object.assign(book, { word: undefined, retry: undefined, takenTo: Math.min(book.takenTo, kept) });
  // Until the events are read again, minutes after the proven part may be wrong.
  for (const minute of book.shown.values()) {
    if (!minute.isFinal || minute.start + minuteSeconds <= (book.proven?.time ?? 0)) continue;
    const doubtful = { ...minute, isFinal: false };
    book.lost.push(doubtful);
    book.shown.set(minute.start, doubtful);
  }
}

/** Describes a pool at an anchor up to which its events are proven. Undefined without a base. */
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
 * Adds the part of a pool's first minute before its first base.
 *
 * @param part The candle of the swaps in that part. Undefined if there were none.
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

/** Adds a base at an anchor up to which the minutes were taken as final, and forgets bases that are too old. */
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

/** A moment of a reader: the time of its last block in epoch seconds, and its own time. */
export type ReaderTime = { blockTime: number; nowMs: number };

/** Returns the minutes since the last base. The last one may still be open. */
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

/** Adds minutes that earlier runs have shown, so that wrong ones can be taken back. */
export function addShown(book: PoolBook, minutes: readonly Candle[]): void {
  const oldest = minuteOf(book.bases[0]?.time ?? Number.POSITIVE_INFINITY);
  for (const minute of minutes)
    if (minute.pool.pool === book.pool.pool && minute.start >= oldest && !book.shown.has(minute.start))
      book.shown.set(minute.start, minute);
}

/**
 * Returns the minutes that have changed since they were last taken. A minute whose swaps were all taken back has no
 * swaps left, and a minute that can no longer be known has gaps.
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
  // If a base is not whole, the swaps before it in its minute are unknown.
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
