import { compare, type Decimal, multiply } from "../../core/decimal.ts";
import type { MarketPool } from "./market.ts";

/** The pool from which a token's prices are taken, and the pools that may replace it. */
export type ReferenceChoice = {
  pool: string | undefined;
  /** Times at which other pools became much deeper than the reference pool, by the pool's address. */
  rivals: Readonly<Record<string, number>>;
};

export const noReference: ReferenceChoice = { pool: undefined, rivals: {} };

type MeasuredPool = Pick<MarketPool, "pool" | "depth">;

/** Minimum depth of a pool whose price is used: a tenth of a coin. */
const leastDepth: Decimal = { mantissa: 1n, exponent: -1 };

/** How many times deeper than the reference pool another pool must be to replace it, and for how long. */
const muchDeeper: Decimal = { mantissa: 15n, exponent: -1 };
const deeperMs = 10 * 60_000;

/** How many times deeper than the reference pool another pool must be to replace it at once. */
const incomparablyDeeper: Decimal = { mantissa: 10n, exponent: 0 };

/**
 * Chooses the reference pool by the last measured depths of pools: usually the deepest one, but changes it rarely. A
 * change takes effect at the start of a minute.
 *
 * @param before The last choice, possibly by an earlier run.
 */
export function chooseReference(
  before: ReferenceChoice,
  pools: readonly MeasuredPool[],
  nowMs: number,
): ReferenceChoice {
  const usable = pools
    .filter(({ depth }) => compare(depth, leastDepth) >= 0)
    .toSorted((a, b) => compare(b.depth, a.depth));
  const current = usable.find(({ pool }) => pool === before.pool);
  const [deepest] = usable;
  if (current === undefined || deepest === undefined) return { pool: deepest?.pool, rivals: {} };
  const isTimes = (factor: Decimal, { depth }: MeasuredPool) =>
    compare(depth, multiply(current.depth, factor)) >= 0;
  if (compare(deepest.depth, multiply(current.depth, incomparablyDeeper)) > 0)
    return { pool: deepest.pool, rivals: {} };
  const rivals = usable
    .filter((each) => each !== current && isTimes(muchDeeper, each))
    .map(({ pool }) => [pool, before.rivals[pool] ?? nowMs] as const);
  const [successor] = rivals.find(([, sinceMs]) => nowMs - sinceMs >= deeperMs) ?? [];
  return successor === undefined
    ? { pool: current.pool, rivals: Object.fromEntries(rivals) }
    : { pool: successor, rivals: {} };
}

/**
 * Puts the reference pool first, as far as a single look can tell it.
 *
 * @param last The reference pool that a reader has stored lately.
 */
export function referenceFirst<Pool extends MeasuredPool>(
  pools: readonly Pool[],
  last: string | undefined,
  nowMs: number,
): Pool[] {
  const { pool } = chooseReference({ pool: last, rivals: {} }, pools, nowMs);
  return pools.toSorted((a, b) => Number(b.pool === pool) - Number(a.pool === pool));
}
