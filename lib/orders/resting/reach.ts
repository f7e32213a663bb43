import { ceilDivide } from "../bigints.ts";
import type { Order } from "../execution.ts";
import type { PricedLeg } from "./mandate.ts";
import { isCrossed, outAt } from "./prices.ts";
import { mostSums } from "./selection.ts";

/** A quoted amount, with what it brings. Undefined if no route trades it. */
export type Rung = { amount: bigint; out: bigint | undefined };

/** Selects the amounts to quote, so that each order's amount is one of them or lies between two. */
export function rungsFor(amounts: readonly bigint[]): bigint[] {
  const sorted = [...new Set(amounts)].toSorted((a, b) => (a < b ? -1 : 1));
  if (sorted.length <= mostSums) return sorted;
  const last = sorted.length - 1;
  return Array.from(
    { length: mostSums },
    (_, rung) => sorted[Math.round((rung * last) / (mostSums - 1))] as bigint,
  );
}

/**
 * Computes by how much the price must change, as a natural logarithm, before a leg may be reached. It is 0 if the leg
 * may be reached now. The price of a larger amount is never better, so the quotes of a smaller and of a larger amount
 * bound what the order's own amount brings.
 *
 * @param rungs Quotes by one host, in the order of their amounts.
 */
export function distanceTo(
  side: Order["side"],
  leg: PricedLeg,
  amount: bigint,
  rungs: readonly Rung[],
): number {
  const isStop = leg.kind === "stop";
  const rung = isStop
    ? (rungs.find((each) => each.amount >= amount) ?? rungs.at(-1))
    : (rungs.findLast((each) => each.amount <= amount) ?? rungs[0]);
  if (rung?.out === undefined) return 0;
  // Outputs are rounded down.
  const out = isStop ? (rung.out * amount) / rung.amount : ceilDivide((rung.out + 1n) * amount, rung.amount);
  if (isCrossed(side, leg, amount, out)) return 0;
  const needed = outAt(side, isStop ? leg.trigger : leg.price, amount);
  return Math.max(Number.EPSILON, Math.abs(Math.log(Number(out) / Number(needed))));
}
