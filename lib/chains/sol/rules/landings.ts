import type { TradeStep } from "../../../orders/table-step.ts";
import { solOrdersSettledBy } from "./settled-orders.ts";

/** The paths of messages. Clears have their own, because clears of private orders go to the relay and to the hosts. */
export const landingPaths = ["private", "public", "clear"] as const;

export type LandingPath = (typeof landingPaths)[number];

/** Numbers of an order's messages that were signed for one path, and that are in a block. */
export type Landings = { path: LandingPath; signed: number; landed: number };

/**
 * Counts the messages of the orders on Solana that a step settles. No later block can have any more of them. A message
 * that failed in a block counts as landed, as it found its way there.
 *
 * Each message counts once if this is used after the step was written.
 */
export function landingsIn(step: TradeStep): Landings[] {
  const counts = new Map<LandingPath, Landings>();
  const attempts = solOrdersSettledBy(step).flatMap(({ details }) => details?.attempts ?? []);
  for (const { purpose, submission, outcome } of attempts) {
    const path = purpose === "clear" ? "clear" : submission === "private" ? "private" : "public";
    const { signed, landed } = counts.get(path) ?? { signed: 0, landed: 0 };
    const isLanded = outcome === "mined" || outcome === "reverted";
    counts.set(path, { path, signed: signed + 1, landed: landed + Number(isLanded) });
  }
  return [...counts.values()];
}
