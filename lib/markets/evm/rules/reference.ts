import { compare, type Decimal, multiply } from "../../../core/decimal.ts";
import type { MarketPool } from "../../core/market.ts";

/** The pool by which a token's prices are, and others that may take its place. */
export type ReferenceChoice = {
  pool: string | undefined;
  /** Since when other pools have been much deeper, by address. */
  rivals: Readonly<Record<string, number>>;
};

export const noReference: ReferenceChoice = { pool: undefined, rivals: {} };

type MeasuredPool = Pick<MarketPool, "pool" | "depth">;

/** A tenth of a coin. A pool with less gives no price. */
const leastDepth: Decimal = { mantissa: 1n, exponent: -1 };

/** A pool that is deeper by this factor for this time becomes the reference. */
const muchDeeper: Decimal = { mantissa: 15n, exponent: -1 };
const deeperMs = 10 * 60_000;

/** A pool that is deeper by this factor becomes the reference at once. */
const incomparablyDeeper: Decimal = { mantissa: 10n, exponent: 0 };

/**
 * Chooses the reference among pools as they were measured last: the deepest one, but it rarely changes. A change counts from
 * the start of a minute on.
 *
 * @param before The last choice, maybe by an earlier run.
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
