import type { EvmChain } from "../../../core/chain-facts.ts";
import {
  type Anchor,
  cutBook,
  newBook,
  type PoolBase,
  type PoolBook,
  rebase,
  startBook,
} from "./pool-book.ts";
import { type MarketLook, type PoolEvent, priceOf, type WatchedPool } from "./watched-pool.ts";

/** The hash of a block. A hash taken from a log is unconfirmed until a look shows the same hash. */
type KnownHash = { hash: string; isConfirmed: boolean };

/** A reader's memory: the blocks of its chain, and the watched pools. */
export type Journal = {
  readonly chain: EvmChain;
  readonly books: Map<string, PoolBook>;
  /** The host that the journal's looks and events come from. */
  host: string | undefined;
  look: MarketLook | undefined;
  hashes: Map<number, KnownHash>;
  /** Blocks of looks, the oldest first. The last one is confirmed by the next look. */
  seen: Pick<MarketLook, "number" | "time">[];
  /** Anchors, the oldest first. */
  anchors: Anchor[];
  /** Grows when something that clients were shown is taken back. */
  revision: number;
  /** Grows whenever the journal forgets something, so that answers to older questions are ignored. */
  cuts: number;
};

/**
 * Maximum depth of a reorganisation that is undone block by block. After a deeper one, the pools are read again from an
 * older base.
 */
const depth = { blocks: 80, seconds: 60 };

/** How long bases and anchors are kept. */
const keptSeconds = 3600;

const mostSeen = 120;

/** @param revision The greatest revision that earlier runs have shown. */
export const newJournal = (chain: EvmChain, revision = 0): Journal => ({
  chain,
  books: new Map(),
  host: undefined,
  look: undefined,
  hashes: new Map(),
  seen: [],
  anchors: [],
  revision,
  cuts: 0,
});

/**
 * Starts to watch a pool.
 *
 * @param bases Bases that an earlier run kept, see {@link basesToKeep}. If there are none, the pool begins at the first
 * block at which two hosts agree on its state.
 */
export function watchPool(
  journal: Journal,
  pool: WatchedPool,
  nowMs: number,
  bases: readonly PoolBase[] = [],
): void {
  if (journal.books.has(pool.pool)) return;
  const book = newBook(pool, nowMs);
  journal.books.set(pool.pool, book);
  startFrom(journal, book, bases);
}

/** Starts the book of a pool from states on which two hosts agree. */
export function startFrom(journal: Journal, book: PoolBook, bases: readonly PoolBase[]): void {
  startBook(book, bases);
  for (const base of bases) addAnchor(journal, base);
}

export function addAnchor(journal: Journal, { block, hash, time }: Anchor): void {
  if (journal.anchors.some((anchor) => anchor.block === block)) return;
  journal.anchors = [...journal.anchors, { block, hash, time }].toSorted((a, b) => a.block - b.block);
  if (!journal.hashes.has(block)) journal.hashes.set(block, { hash, isConfirmed: false });
}

/** How far back a look asks for hashes of earlier blocks, in blocks. */
const hashesBack = 250;
const mostHeights = 64;

/** Lists the blocks whose hashes the next look should show. */
export function heightsToConfirm(journal: Journal): number[] {
  const { hashes, look } = journal;
  const unconfirmed = [...hashes].filter(([, { isConfirmed }]) => !isConfirmed).map(([block]) => block);
  const oldest = (look?.number ?? Math.max(0, ...unconfirmed)) - hashesBack;
  const recent = unconfirmed.filter((block) => block > oldest).toSorted((a, b) => b - a);
  const heights = [look?.number, lastKnown(journal), ...recent.slice(0, mostHeights)];
  return [...new Set(heights.filter((height) => height !== undefined))];
}

/**
 * Returns the newest block known to be on the host's chain, or else the newest on which two other hosts agreed. If this
 * block is still on the chain, so are all blocks before it.
 */
export function lastKnown({ hashes, anchors }: Journal): number | undefined {
  let last = anchors.at(-1)?.block;
  for (const [block, { isConfirmed }] of hashes) if (isConfirmed && block > (last ?? -1)) last = block;
  return last;
}

/** Returns the hashes that a look shows. */
const hashesIn = (look: MarketLook) => new Map(look.hashes).set(look.number - 1, look.parentHash);

/** Finds which known blocks are still on a chain and which are not, from some of the chain's hashes. */
export function compareHashes({ hashes }: Journal, shown: ReadonlyMap<number, string>) {
  const known = [...shown].filter(([block]) => hashes.has(block));
  const [kept = [], refuted = []] = [true, false].map((isSame) =>
    known.filter(([block, hash]) => (hashes.get(block)?.hash === hash) === isSame).map(([block]) => block),
  );
  return { kept, refuted };
}

export const compareLook = (journal: Journal, look: MarketLook) => compareHashes(journal, hashesIn(look));

/** Takes over a look whose hashes contradict no known hash. */
export function takeLook(journal: Journal, look: MarketLook): void {
  for (const [block, hash] of hashesIn(look)) journal.hashes.set(block, { hash, isConfirmed: true });
  const { number, time } = look;
  journal.seen = [...journal.seen.filter((block) => block.number < number), { number, time }].slice(
    -mostSeen,
  );
  journal.look = look;
  for (const book of journal.books.values()) {
    const word = look.words.get(book.pool.pool);
    if (word !== undefined) book.price = priceOf(book.pool, word);
  }
}

export const confirmedHash = ({ hashes }: Journal, block: number): string | undefined => {
  const known = hashes.get(block);
  return known?.isConfirmed ? known.hash : undefined;
};

/** Notes the blocks of events, so that the next look confirms their hashes. */
export function noteBlocks({ hashes }: Journal, events: readonly PoolEvent[]): void {
  for (const { block, blockHash } of events)
    if (!hashes.has(block)) hashes.set(block, { hash: blockHash, isConfirmed: false });
}

/** Forgets all blocks after a given one, because they are no longer on the chain. */
export function cutAfter(journal: Journal, last: number): void {
  journal.revision++;
  journal.anchors = journal.anchors.filter(({ block }) => block <= last);
  journal.seen = journal.seen.filter(({ number }) => number <= last);
  for (const block of journal.hashes.keys()) if (block > last) journal.hashes.delete(block);
  cutBooks(journal, () => last);
}

/**
 * Forgets blocks that are not on the chain. In pools whose events were proven up to these blocks, also forgets all
 * later events.
 */
export function dropAnchors(journal: Journal, blocks: ReadonlySet<number>): void {
  journal.revision++;
  journal.cuts++;
  journal.anchors = journal.anchors.filter(({ block }) => !blocks.has(block));
  for (const block of blocks) journal.hashes.delete(block);
  for (const book of journal.books.values()) {
    const ends = [...book.bases, book.proven].flatMap((anchor) => anchor?.block ?? []);
    const first = Math.min(...ends.filter((block) => blocks.has(block)));
    if (first < Number.POSITIVE_INFINITY) cutBook(book, first - 1, journal.anchors);
  }
}

/**
 * Forgets events that only the last host has shown, because comparing them with the same host again would prove
 * nothing.
 */
export function changeHost(journal: Journal, host: string): void {
  journal.host = host;
  journal.look = undefined;
  journal.seen = [];
  journal.hashes = new Map(journal.anchors.map(({ block, hash }) => [block, { hash, isConfirmed: false }]));
  cutBooks(journal, ({ proven }) => proven?.block ?? -1);
}

function cutBooks(journal: Journal, lastOf: (book: PoolBook) => number): void {
  journal.cuts++;
  for (const book of journal.books.values()) cutBook(book, lastOf(book), journal.anchors);
}

/**
 * Sums up events that are too deep in the chain to be taken back block by block, and forgets those that are too old.
 */
export function trimJournal(journal: Journal): void {
  const { look, anchors } = journal;
  if (look === undefined) return;
  const isDeep = ({ block, time }: Anchor) =>
    block <= look.number - depth.blocks && time <= look.time - depth.seconds;
  const oldestTime = look.time - keptSeconds;
  for (const book of journal.books.values()) {
    const provenTo = Math.min(book.takenTo, book.proven?.block ?? -1);
    rebase(
      book,
      anchors.findLast((anchor) => isDeep(anchor) && anchor.block <= provenTo),
      oldestTime,
    );
  }
  const bases = [...journal.books.values()].flatMap((book) => book.bases.map(({ block }) => block));
  const needed = new Set(bases);
  journal.anchors = anchors.filter(({ block, time }) => time >= oldestTime || needed.has(block));
  const kept = new Set(journal.anchors.map(({ block }) => block));
  const oldest = anchors.findLast(isDeep)?.block ?? Math.max(0, look.number - 10 * depth.blocks);
  for (const block of journal.hashes.keys())
    if (block < oldest && !kept.has(block)) journal.hashes.delete(block);
}
