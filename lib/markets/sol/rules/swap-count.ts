import { add, type Decimal, decimalOf, zero } from "../../../core/decimal.ts";
import { sizeOf } from "../../../orders/bigints.ts";
import type { SwapSums } from "../../core/candle.ts";
import { isSwapBetween } from "./sample-book.ts";
import type { PoolAmounts, PoolSighting } from "./witnesses.ts";

/** Number of a pool's signatures in a minute above which its swaps are not counted, since many must be opened. */
export const mostSignatures = 60;

/** A transaction that names a pool. */
export type PoolSignature = { id: string; slot: number; isFailed: boolean };

/** A pool before and after a transaction. */
export type PoolStep = readonly [before: PoolAmounts, after: PoolAmounts];

/** Swaps that only samples show, and the transactions that must be opened to count the rest. */
export type CountPlan = { steps: PoolStep[]; opened: string[] };

/**
 * Assigns signatures to the times between samples. One transaction between two samples explains their difference;
 * several have to be opened. Undefined if there are too many, or if no transaction explains a swap.
 *
 * @param samples The states in a minute, with the last one before it.
 * @param signatures All transactions since the first state.
 */
export function planCount(
  samples: readonly PoolSighting[],
  signatures: readonly PoolSignature[],
): CountPlan | undefined {
  const [first, last] = [samples[0]?.slot ?? 0, samples.at(-1)?.slot ?? 0];
  const within = signatures.filter(({ slot }) => slot > first && slot <= last);
  if (within.length > mostSignatures) return undefined;
  const plan: CountPlan = { steps: [], opened: [] };
  for (const [index, after] of samples.entries()) {
    const before = samples[index - 1];
    if (before === undefined) continue;
    const own = within.filter(({ slot, isFailed }) => !isFailed && slot > before.slot && slot <= after.slot);
    if (own.length === 0 && isSwapBetween(before, after)) return undefined;
    if (own.length === 1) plan.steps.push([before, after]);
    else plan.opened.push(...own.map(({ id }) => id));
  }
  return plan;
}

/** Digits after the point of a swap's volume, as on other chains. */
const volumePlaces = 9;

/** Sums up the steps that are swaps. */
export function sumsOfSteps(steps: readonly PoolStep[], quoteDecimals: number): SwapSums {
  const swaps = steps.filter(([before, after]) => isSwapBetween(before, after));
  const volumes = swaps.map(
    ([before, after]): Decimal => decimalOf(sizeOf(after.held - before.held), -quoteDecimals, volumePlaces),
  );
  return { volume: volumes.reduce(add, zero), trades: swaps.length };
}
