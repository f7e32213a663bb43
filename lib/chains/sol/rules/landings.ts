import type { TradeStep } from "../../../orders/table-step.ts";
import { solOrdersSettledBy } from "./settled-orders.ts";

/**
 * The paths on which messages reach the chain. Clears have a path of their own, because clears of private orders go
 * both to the relay and to the hosts.
 */
export const landingPaths = ["private", "public", "clear"] as const;

export type LandingPath = (typeof landingPaths)[number];

/** Number of an order's messages that were signed for one path, and of those that are in a block. */
export type Landings = { path: LandingPath; signed: number; landed: number };

/**
 * For the orders on Solana that a step settles, counts the messages signed and the messages that are in a block. No
 * later block can contain more of them. A message that failed in a block counts as landed, because it reached the
 * block.
 *
 * Each message counts once if this is called after the step was written.
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
