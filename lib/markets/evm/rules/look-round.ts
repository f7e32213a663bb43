import {
  type BlockSpan,
  checkEvents,
  explains,
  type Header,
  type ReadingFault,
  untimedBlocks,
  withTimes,
} from "./event-reading.ts";
import { type Compared, searchFork } from "./fork-search.ts";
import {
  changeHost,
  compareHashes,
  compareLook,
  confirmedHash,
  cutAfter,
  heightsToConfirm,
  type Journal,
  lastKnown,
  noteBlocks,
  startFrom,
  takeLook,
  trimJournal,
} from "./journal.ts";
import {
  firstUnread,
  follows,
  mostUnexplainedMs,
  type PoolBook,
  replaceEvents,
  wordAfter,
} from "./pool-book.ts";
import { type MarketLook, type PoolEvent, priceOf, type WatchedPool } from "./watched-pool.ts";

/** Chooses the hosts to ask: only this host, or any host but this one. */
export type HostChoice = { only: string } | { not: string };

/** The hosts of a chain. Each answer is undefined if none of the chosen hosts answers. */
export type MarketHosts = {
  /**
   * Looks at the latest block through the preferred host. Also undefined if that block is older than the last look's.
   */
  look(ask: {
    heights: readonly number[];
    pools: readonly WatchedPool[];
  }): Promise<(MarketLook & { host: string }) | undefined>;
  /** Reads events in a range of blocks. Also undefined if the host does not know the last block of the range. */
  events(
    of: HostChoice,
    ask: BlockSpan & { pools: readonly WatchedPool[] },
  ): Promise<readonly PoolEvent[] | undefined>;
  headers(of: HostChoice, blocks: readonly number[]): Promise<ReadonlyMap<number, Header> | undefined>;
  /** Reads the states of pools after a block. */
  states(
    of: HostChoice,
    ask: { block: number; pools: readonly WatchedPool[] },
  ): Promise<ReadonlyMap<string, bigint> | undefined>;
};

/** Result of a look at a chain. */
export type LookRound = {
  /** True if a look was taken. */
  isTaken: boolean;
  /** True if the host's events do not explain the states that it shows. Another host should then be preferred. */
  isUnexplained: boolean;
  faults: ReadingFault[];
};

const poolsOfBooks = (books: Iterable<PoolBook>) => [...books].map(({ pool }) => pool);

/** Requests events, and then the times that are missing in them. */
export async function askEvents(
  hosts: MarketHosts,
  of: HostChoice,
  range: BlockSpan & { books: readonly PoolBook[] },
  checks: Pick<Parameters<typeof checkEvents>[1], "known" | "latest">,
): Promise<ReturnType<typeof checkEvents> | undefined> {
  const { from, to, books } = range;
  const pools = poolsOfBooks(books);
  const events = from > to ? [] : await hosts.events(of, { from, to, pools });
  if (events === undefined) return undefined;
  const untimed = untimedBlocks(events);
  const headers = untimed.length === 0 ? new Map() : await hosts.headers(of, untimed);
  const names = new Set(pools.map(({ pool }) => pool));
  return checkEvents(withTimes(events, headers ?? new Map()), { from, to, pools: names, ...checks });
}

/**
 * Looks at a chain once: finds blocks that were taken back, and reads the events that explain new states of pools.
 * Prices are known even if the events cannot be read.
 */
export async function lookRound(journal: Journal, hosts: MarketHosts, nowMs: number): Promise<LookRound> {
  const faults: ReadingFault[] = [];
  const round = (isTaken: boolean): LookRound => ({
    isTaken,
    isUnexplained: [...journal.books.values()].some(
      ({ unexplained }) => unexplained?.hosts.size === 1 && nowMs - unexplained.sinceMs >= mostUnexplainedMs,
    ),
    faults,
  });
  trimJournal(journal);
  const pools = poolsOfBooks(journal.books.values());
  const answer = await hosts.look({ heights: heightsToConfirm(journal), pools });
  if (answer === undefined) return round(false);
  const { host, ...look } = answer;
  const last = journal.look?.number ?? 0;
  if (host !== journal.host) changeHost(journal, host);
  // The reader may have switched to a host that lags behind.
  if (look.number < last) cutAfter(journal, look.number);
  if (!(await dropReplaced(journal, hosts, look))) return round(false);
  takeLook(journal, look);
  await startBooks(journal, hosts, look);
  faults.push(...(await explainStates(journal, hosts, look, nowMs)));
  return round(true);
}

/** Drops the blocks that a look refutes. Returns false if the host does not show at which block its chain forked. */
async function dropReplaced(journal: Journal, hosts: MarketHosts, look: MarketLook): Promise<boolean> {
  const ask = async (blocks: readonly number[]): Promise<Compared | undefined> => {
    const headers = await hosts.headers({ only: journal.host ?? "" }, blocks);
    const hashes = hashesOf(headers);
    return blocks.every((block) => hashes.has(block)) ? compareHashes(journal, hashes) : undefined;
  };
  let compared: Compared = compareLook(journal, look);
  const last = lastKnown(journal);
  // Asks for the last known hash if the look lacks it. A look shows no old hashes, and a look by another host did not
  // ask for this one.
  if (last !== undefined && ![...compared.kept, ...compared.refuted].includes(last)) {
    const answer = await ask([last]);
    if (answer === undefined) return false;
    compared = merged(compared, answer);
  }
  while (compared.refuted.length > 0) {
    const search = searchFork(journal.hashes.keys(), compared);
    if ("fork" in search) {
      cutAfter(journal, search.fork ?? -1);
      return true;
    }
    const answer = await ask(search.ask);
    if (answer === undefined) return false;
    compared = merged(compared, answer);
  }
  return true;
}

const merged = (a: Compared, b: Compared): Compared => ({
  kept: [...a.kept, ...b.kept],
  refuted: [...a.refuted, ...b.refuted],
});

/**
 * Asks the first host again about blocks whose hashes in events differ from those that it showed earlier. Drops the
 * blocks if the host now shows different hashes, too.
 */
export async function dropLies(
  journal: Journal,
  hosts: MarketHosts,
  blocks: readonly number[] = [],
): Promise<boolean> {
  if (blocks.length === 0) return false;
  const { cuts, host = "" } = journal;
  const headers = await hosts.headers({ only: host }, blocks);
  if (journal.cuts !== cuts) return true;
  const { refuted } = compareHashes(journal, hashesOf(headers));
  if (refuted.length > 0) cutAfter(journal, Math.min(...refuted) - 1);
  return refuted.length > 0;
}

/** Returns the hashes in headers. */
export const hashesOf = (headers: ReadonlyMap<number, Header> | undefined) =>
  new Map([...(headers ?? [])].map(([block, { hash }]) => [block, hash]));

/** Starts pools at the block of a look if another host shows the same states there. */
async function startBooks(journal: Journal, hosts: MarketHosts, look: MarketLook): Promise<void> {
  const waiting = [...journal.books.values()].filter(
    ({ bases, pool }) => bases.length === 0 && look.words.has(pool.pool),
  );
  if (waiting.length === 0) return;
  const { cuts } = journal;
  const { number: block, time } = look;
  const other: HostChoice = { not: journal.host ?? "" };
  const [headers, states] = await Promise.all([
    hosts.headers(other, [block]),
    hosts.states(other, { block, pools: poolsOfBooks(waiting) }),
  ]);
  const header = headers?.get(block);
  if (header?.time !== time || journal.cuts !== cuts) return;
  for (const book of waiting) {
    const word = look.words.get(book.pool.pool);
    if (word === undefined || states?.get(book.pool.pool) !== word) continue;
    const price = priceOf(book.pool, word);
    startFrom(journal, book, [{ block, ...header, word, ...(price && { price }), isWhole: false }]);
    book.word = word;
  }
}

/** Reads the events of pools whose states have changed. */
async function explainStates(
  journal: Journal,
  hosts: MarketHosts,
  look: MarketLook,
  nowMs: number,
): Promise<ReadingFault[]> {
  const { cuts, host = "" } = journal;
  const changed = [...journal.books.values()].filter((book) => {
    const word = look.words.get(book.pool.pool);
    return book.bases.length > 0 && word !== undefined && word !== book.word;
  });
  if (changed.length === 0) return [];
  const to = look.number;
  const from = Math.min(to + 1, ...changed.map(firstUnread));
  const known = (block: number) => confirmedHash(journal, block);
  const reading = await askEvents(
    hosts,
    { only: host },
    { from, to, books: changed },
    { known, latest: look.time },
  );
  if (journal.cuts !== cuts || (await dropLies(journal, hosts, reading?.foreign))) return [];
  for (const book of changed) explainState(journal, book, look, reading?.events, nowMs);
  return reading?.faults ?? [];
}

function explainState(
  journal: Journal,
  book: PoolBook,
  look: MarketLook,
  events: readonly PoolEvent[] | undefined,
  nowMs: number,
): void {
  const { pool } = book.pool;
  const word = look.words.get(pool) as bigint;
  const first = firstUnread(book);
  const own = events?.filter((event) => event.pool === pool && event.block >= first);
  const isUsable = own !== undefined && follows(book, first, own);
  if (isUsable && explains(own, wordAfter(book, first - 1), word)) book.unexplained = undefined;
  else {
    const { sinceMs = nowMs, hosts = [] } = book.unexplained ?? {};
    book.unexplained = { sinceMs, hosts: new Set([...hosts, journal.host ?? ""]) };
    // If two hosts show such a state, the pool changes its state without events.
    if (!isUsable || book.unexplained.hosts.size < 2) return;
  }
  replaceEvents(book, first, look.number, own);
  noteBlocks(journal, own);
  book.readTo = Math.max(book.readTo, look.number);
  book.word = word;
}
