import { isSameReading, type ReadingFault } from "./event-reading.ts";
import { addAnchor, compareHashes, confirmedHash, dropAnchors, type Journal } from "./journal.ts";
import { askEvents, dropLies, type HostChoice, hashesOf, type MarketHosts } from "./look-round.ts";
import {
  type Anchor,
  doubtBook,
  minuteOf,
  type PoolBook,
  proveBook,
  replaceEvents,
  unprovenEvents,
} from "./pool-book.ts";

/**
 * Result of comparing two hosts: pools whose events were proven up to a later block, and pools for which this failed.
 */
export type ProofRound = { proven: string[]; failed: string[]; faults: ReadingFault[] };

/** Maximum lag of a book's proof, in seconds, for the book to be proven together with other books. */
const togetherSeconds = 180;

/** Pause after a failed proof. Doubles after each further failure. */
const pauseMs = { least: 5000, most: 60_000 };

/**
 * Returns the newest block whose hash a later look has confirmed, with the time from the first look that showed the
 * block.
 */
function newestConfirmed(journal: Journal): Anchor | undefined {
  const seen = journal.seen.findLast(({ number }) => confirmedHash(journal, number) !== undefined);
  if (seen === undefined) return undefined;
  return { block: seen.number, hash: confirmedHash(journal, seen.number) ?? "", time: seen.time };
}

/**
 * Closes the minutes that have ended: a second host must show the same events, and the same block after them. If it
 * shows different events, the first host is asked once more. Events on which two hosts agree are proven.
 */
export async function proofRound(journal: Journal, hosts: MarketHosts, nowMs: number): Promise<ProofRound> {
  const end = newestConfirmed(journal);
  const round: ProofRound = { proven: [], failed: [], faults: [] };
  if (end === undefined) return round;
  const due = [...journal.books.values()].filter(
    ({ proven, retry }) =>
      proven !== undefined && minuteOf(proven.time) < minuteOf(end.time) && (retry?.atMs ?? nowMs) <= nowMs,
  );
  const groups = Map.groupBy(due, ({ proven }) =>
    end.time - (proven?.time ?? 0) <= togetherSeconds ? 0 : (proven?.block ?? 0),
  );
  for (const group of groups.values()) {
    // A reorganisation may have taken back the end block, or a pool's base, in the meantime.
    const books = group.filter(({ proven }) => proven !== undefined && proven.block < end.block);
    if (confirmedHash(journal, end.block) !== end.hash) break;
    if (books.length > 0) await proveTogether(journal, hosts, { books, end, nowMs }, round);
  }
  return round;
}

async function proveTogether(
  journal: Journal,
  hosts: MarketHosts,
  { books, end, nowMs }: { books: readonly PoolBook[]; end: Anchor; nowMs: number },
  round: ProofRound,
): Promise<void> {
  const { cuts, host = "" } = journal;
  const starts = new Map(books.map((book) => [book, book.proven as Anchor]));
  const anchors = [...starts.values(), end];
  const from = Math.min(...anchors.map(({ block }) => block)) + 1;
  /** Asks for blocks and events together, because a host that lags behind would show too few events. */
  const ask = async (of: HostChoice, asked: readonly PoolBook[]) => {
    const checks = { known: (block: number) => confirmedHash(journal, block), latest: end.time };
    const [headers, reading] = await Promise.all([
      hosts.headers(of, [...new Set(anchors.map(({ block }) => block))]),
      askEvents(hosts, of, { from, to: end.block, books: asked }, checks),
    ]);
    round.faults.push(...(reading?.faults ?? []));
    const has = ({ block, hash, time }: Anchor) => {
      const header = headers?.get(block);
      return header?.hash === hash && header.time === time;
    };
    const eventsOf = (book: PoolBook) => {
      const start = starts.get(book) as Anchor;
      if (!has(end) || !has(start)) return undefined;
      return reading?.events?.filter(({ pool, block }) => pool === book.pool.pool && block > start.block);
    };
    return { headers, eventsOf, foreign: reading?.foreign };
  };
  const theirs = await ask({ not: host }, books);
  if (journal.cuts !== cuts) return;
  // Also compares pools whose state is unchanged, because an unchanged state does not prove that there were no swaps.
  const isSame = (book: PoolBook, events = theirs.eventsOf(book)) =>
    events !== undefined &&
    book.readTo >= end.block &&
    isSameReading(unprovenEvents(book, end.block), events);
  const different = books.filter((book) => theirs.eventsOf(book) !== undefined && !isSame(book));
  const again = different.length === 0 ? undefined : await ask({ only: host }, different);
  if (journal.cuts !== cuts) return;
  const contradicted = [...starts.values()].filter(
    ({ block, hash }) => (theirs.headers?.get(block)?.hash ?? hash) !== hash,
  );
  if (await dropRefuted(journal, hosts, contradicted)) return;
  if (await dropLies(journal, hosts, theirs.foreign)) return;
  for (const book of books) {
    const events = theirs.eventsOf(book);
    const repeated = different.includes(book) ? again?.eventsOf(book) : undefined;
    const isAgreed = events !== undefined && repeated !== undefined && isSameReading(events, repeated);
    if (events !== undefined && (isAgreed || isSame(book))) {
      replaceEvents(book, from, end.block, events);
      addAnchor(journal, end);
      proveBook(book, end);
      round.proven.push(book.pool.pool);
    } else {
      if (contradicted.includes(starts.get(book) as Anchor)) doubtBook(book);
      const failures = (book.retry?.failures ?? 0) + 1;
      const ms = Math.min(pauseMs.most, pauseMs.least * 2 ** (failures - 1));
      book.retry = { failures, atMs: nowMs + ms };
      round.failed.push(book.pool.pool);
    }
  }
}

/**
 * Drops blocks that the other host contradicts if the first host no longer has them either. Blocks at which an earlier
 * run ended may be older than those that looks compare.
 */
async function dropRefuted(
  journal: Journal,
  hosts: MarketHosts,
  anchors: readonly Anchor[],
): Promise<boolean> {
  if (anchors.length === 0) return false;
  const { cuts, host = "" } = journal;
  const headers = await hosts.headers(
    { only: host },
    anchors.map(({ block }) => block),
  );
  if (journal.cuts !== cuts) return true;
  const { refuted } = compareHashes(journal, hashesOf(headers));
  if (refuted.length === 0) return false;
  dropAnchors(journal, new Set(refuted));
  return true;
}
