import { compare, type Decimal, multiply } from "../../../core/decimal.ts";
import type { MarketPool } from "../../core/market.ts";

/** The pool that a token's prices come from, and pools that may replace it. */
export type ReferenceChoice = {
  pool: string | undefined;
  /** Times at which other pools became much deeper, by the pool's address. */
  rivals: Readonly<Record<string, number>>;
};

export const noReference: ReferenceChoice = { pool: undefined, rivals: {} };

type MeasuredPool = Pick<MarketPool, "pool" | "depth">;

/** Least depth of a pool that gives a price: a tenth of a coin. */
const leastDepth: Decimal = { mantissa: 1n, exponent: -1 };

/** Factor, and duration, by which a pool must be deeper to become the reference. */
const muchDeeper: Decimal = { mantissa: 15n, exponent: -1 };
const deeperMs = 10 * 60_000;

/** Factor by which a pool must be deeper to become the reference at once. */
const incomparablyDeeper: Decimal = { mantissa: 10n, exponent: 0 };

/**
 * Chooses the reference among pools by their last measured depths: usually the deepest one, but changes are rare. A
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
