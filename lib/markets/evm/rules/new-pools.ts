import type { SwapVenue } from "../../../chains/evm/rules/swap-venues.ts";
import { type NewTokens, newSeconds } from "../../core/new-tokens.ts";

/** A pool that a factory's event has announced, with the token that it trades for the coin or a stable token. */
export type MadePool = {
  pool: string;
  venue: SwapVenue;
  token: string;
  /** Address of the pool's other token: the wrapped coin or a stable token. */
  other: string;
  block: number;
  blockHash: string;
  logIndex: number;
  /** Time of the block, in epoch seconds. */
  time: number;
};

/** A pool as this service knows it. */
export type NewPool = MadePool & {
  /** True if two hosts have shown the same event. */
  isConfirmed: boolean;
  /** True if the pool has held enough of its other token to be worth a look. */
  isFunded: boolean;
};

/** The blocks whose events are known, and the numbers of blocks that the next requests name. */
export type PoolProgress = {
  low: number;
  high: number;
  blocks: number;
  /** Number of blocks for a range of the past, which may have more events than the newest blocks. */
  pastBlocks: number;
  /** True if the last range was older than all known blocks. */
  wasPast: boolean;
};

export type PoolRange = { from: number; to: number };

/** Number of blocks in a request, unless hosts allow only fewer. */
export const mostBlocks = 2000;

/** Number of known blocks that are read again, because a reorganisation may have replaced them. */
export const overlapBlocks = 32;

/** The newest block of a host. */
type Head = { number: number; time: number };

/** Leaves out hosts that are stuck: those whose newest block is much older than another's, unless that is of the future. */
export function currentHeads<Each extends { value: Head }>(
  heads: readonly Each[],
  { nowSeconds, blockSeconds }: { nowSeconds: number; blockSeconds: number },
): Each[] {
  const mostBehind = overlapBlocks * blockSeconds;
  const times = heads.map(({ value }) => value.time).filter((time) => time <= nowSeconds + blockSeconds);
  return heads.filter(({ value }) => value.time > Math.max(...times) - mostBehind);
}

/** Maximum number of pools to remember on a chain. */
export const mostNewPools = 200;

/**
 * Chooses the next blocks to read: the newest ones and, in every second turn, older ones until a day is complete. Starts
 * over at the newest block after a long pause, or if a host once claimed a block that the chain does not have.
 */
export function nextRange(
  progress: PoolProgress | undefined,
  head: number,
  dayBlocks: number,
): PoolRange & { isPast: boolean } {
  const oldest = Math.max(0, head - dayBlocks);
  const blocks = progress?.blocks ?? mostBlocks;
  const newest = Math.max(oldest, head - blocks + 1);
  if (progress === undefined || head - progress.high > blocks || progress.high - head >= overlapBlocks)
    return { from: newest, to: head, isPast: false };
  const { low, high, pastBlocks, wasPast } = progress;
  if (low > oldest && !wasPast)
    return { from: Math.max(oldest, low - pastBlocks), to: low - 1, isPast: true };
  return { from: Math.max(newest, high + 1 - overlapBlocks), to: head, isPast: false };
}

/** Grows after each success, because usual ranges are shorter than allowed, and most failures are not of the length. */
const grown = (blocks: number): number => Math.min(mostBlocks, 2 * blocks);

const halved = (blocks: number): number => Math.max(1, Math.floor(blocks / 2));

const noProgress = { blocks: mostBlocks, pastBlocks: mostBlocks };

/** Adds a range to the known blocks. A range apart from them replaces them, because there is a gap in between. */
export function progressAfter(
  progress: PoolProgress | undefined,
  range: PoolRange & { isPast: boolean },
): PoolProgress {
  const { from, to, isPast } = range;
  const { blocks, pastBlocks } = progress ?? noProgress;
  if (progress !== undefined && isPast)
    return { ...progress, low: from, pastBlocks: grown(pastBlocks), wasPast: true };
  const isJoined = progress !== undefined && from <= progress.high + 1 && progress.high - to < overlapBlocks;
  const low = isJoined ? Math.min(progress.low, from) : from;
  return { low, high: to, blocks: grown(blocks), pastBlocks, wasPast: false };
}

/**
 * Asks for fewer blocks after a failure, because hosts limit ranges and results. Leaves out a single block of the past
 * that no host returns.
 */
export function progressAfterFailure(
  progress: PoolProgress | undefined,
  { from, to, isPast }: PoolRange & { isPast: boolean },
): PoolProgress {
  const known = progress ?? {
    low: to + 1,
    high: to,
    wasPast: false,
    blocks: mostBlocks,
    pastBlocks: halved(mostBlocks),
  };
  if (!isPast) return { ...known, blocks: halved(known.blocks), wasPast: false };
  return {
    ...known,
    pastBlocks: halved(known.pastBlocks),
    wasPast: true,
    ...(from === to && { low: from }),
  };
}

const isSameEvent = (one: MadePool, other: MadePool): boolean =>
  one.blockHash === other.blockHash && one.token === other.token && one.other === other.other;

/**
 * Joins the known pools with the answers of hosts about a range of blocks. A pool of the range is confirmed if two hosts
 * show it, and vanishes once two hosts no longer do. A single host can only add pools, which stay unconfirmed.
 */
export function poolsAfter(
  known: readonly NewPool[],
  { from, to }: PoolRange,
  answers: readonly (readonly MadePool[])[],
): NewPool[] {
  if (answers.length === 0) return [...known];
  const before = new Map(known.map((each) => [each.pool, each]));
  const seen = new Map<string, NewPool>();
  for (const answer of answers) {
    for (const made of new Map(answer.map((each) => [each.pool, each])).values()) {
      const twin = seen.get(made.pool);
      const old = before.get(made.pool);
      const shown = twin ?? { ...made, isFunded: old?.isFunded ?? false };
      const wasConfirmed = old?.isConfirmed === true && isSameEvent(old, shown) && isSameEvent(old, made);
      const isConfirmed = wasConfirmed || (twin !== undefined && isSameEvent(twin, made));
      seen.set(made.pool, { ...shown, isConfirmed });
    }
  }
  const kept = known.flatMap((each) => {
    if (seen.has(each.pool)) return [];
    if (each.block < from || each.block > to) return [each];
    return answers.length > 1 ? [] : [{ ...each, isConfirmed: false }];
  });
  return [...kept, ...seen.values()];
}

const byNewest = (a: MadePool, b: MadePool): number => b.block - a.block || b.logIndex - a.logIndex;

/** Lists the newest pools first, and leaves out those that are older than a day. */
export const poolsOfDay = (pools: readonly NewPool[], nowSeconds: number): NewPool[] =>
  pools.filter(({ time }) => nowSeconds - time < newSeconds).toSorted(byNewest);

/**
 * Takes the funds of pools from those whose token had no price when it was looked at, until they are measured again.
 * Somebody may have lent them only for a moment.
 */
export const unfundedWithoutPrice = (pools: readonly NewPool[], looked: NewTokens["looks"]): NewPool[] =>
  pools.map((each) => {
    const look = looked[each.token];
    return look !== undefined && look.found === undefined ? { ...each, isFunded: false } : each;
  });

/**
 * Keeps as many pools as may be remembered: first those of tokens that have a price, then others with funds, so that
 * pools without do not displace them.
 */
export function bounded(pools: readonly NewPool[], looks: NewTokens["looks"]): NewPool[] {
  const worth = ({ token, isFunded }: NewPool) => (looks[token]?.found ? 2 : Number(isFunded));
  return pools
    .toSorted((a, b) => worth(b) - worth(a) || byNewest(a, b))
    .slice(0, mostNewPools)
    .toSorted(byNewest);
}
