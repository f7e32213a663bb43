import { chainFacts } from "../../../core/chain-facts.ts";
import { candlesOf, swapBlocksOf } from "../../core/candles.ts";
import { explains, isSameReading } from "./event-reading.ts";
import { confirmedHash, type Journal } from "./journal.ts";
import { askEvents, type HostChoice, type MarketHosts } from "./look-round.ts";
import { completeFirstMinute, minuteOf, type PoolBase, type PoolBook } from "./pool-book.ts";
import { type PoolEvent, priceOf } from "./watched-pool.ts";

/** Factors by which to go back further than estimated, because blocks may come faster than usual. */
const mostBlocks = { least: 1.2, factor: 2, tries: 3 };

/** True if a pool's first minute lacks the events before its first base. */
export const isBegunInside = ({ bases: [first] }: PoolBook): boolean => first !== undefined && !first.isWhole;

/**
 * Reads the part of a pool's first minute before its first base, if two hosts agree on it. If they disagree, the minute
 * has gaps.
 */
export async function readFirstMinute(journal: Journal, hosts: MarketHosts, book: PoolBook): Promise<void> {
  const [base] = book.bases;
  if (base === undefined || base.isWhole) return;
  const { cuts, host = "" } = journal;
  const start = minuteOf(base.time);
  const from = await blockBefore(journal, hosts, base, start);
  if (from === undefined) return;
  const readBy = async (of: HostChoice) => {
    const known = (block: number) => confirmedHash(journal, block);
    const span = { from: from + 1, to: base.block, books: [book] };
    return (await askEvents(hosts, of, span, { known, latest: base.time }))?.events;
  };
  const [own, theirs] = await Promise.all([readBy({ only: host }), readBy({ not: host })]);
  if (own === undefined || theirs === undefined || !isSameReading(own, theirs)) return;
  const within = own.filter(({ time }) => time >= start);
  const [first] = within;
  const before = first && (await stateBefore(journal, hosts, book, own, first));
  if (first !== undefined && (before === undefined || !explains(within, before.word, base.word ?? 0n)))
    return;
  if (journal.cuts !== cuts || book.bases[0] !== base) return;
  const price = before?.word === undefined ? undefined : priceOf(book.pool, before.word);
  const { pool, quote } = book.pool;
  const [part] = candlesOf(swapBlocksOf(within, price), { pool, quote });
  completeFirstMinute(book, part);
}

/**
 * Finds a block shortly before a time, or -1 if the chain is younger than that. Undefined if the host knows no such
 * block.
 */
async function blockBefore(
  { chain }: Journal,
  hosts: MarketHosts,
  base: PoolBase,
  time: number,
): Promise<number | undefined> {
  const usual = (base.time - time + 1) / chainFacts[chain].blockSeconds;
  let blocks = Math.ceil(usual * mostBlocks.least) + 2;
  for (let tries = 0; tries < mostBlocks.tries; tries++) {
    const block = Math.max(0, base.block - blocks);
    const header = (await hosts.headers({ not: "" }, [block]))?.get(block);
    if (header === undefined || header.time < time) return header && block;
    if (block === 0) return -1;
    blocks *= mostBlocks.factor;
  }
  return undefined;
}

/** A pool's state at a block. Undefined if the pool was created after it. */
type PoolState = { word: bigint | undefined };

/**
 * Reads the state of a pool before an event: from earlier events, or else from two hosts. Undefined if the hosts
 * disagree.
 */
async function stateBefore(
  { host = "" }: Journal,
  hosts: MarketHosts,
  { pool }: PoolBook,
  events: readonly PoolEvent[],
  first: PoolEvent,
): Promise<PoolState | undefined> {
  const earlier = events.slice(0, events.indexOf(first));
  const known = earlier.findLast(({ word }) => word !== undefined)?.word;
  if (known !== undefined) return { word: known };
  // Block 0 has no predecessor.
  if (first.block === 0) return { word: undefined };
  const asked = { block: first.block - 1, pools: [pool] };
  const [own, theirs] = await Promise.all([
    hosts.states({ only: host }, asked),
    hosts.states({ not: host }, asked),
  ]);
  const word = own?.get(pool.pool);
  return own && theirs && word === theirs.get(pool.pool) ? { word } : undefined;
}
