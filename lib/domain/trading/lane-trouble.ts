import type { Slot } from "./slot.ts";
import type { Lane } from "./table-step.ts";
import { hasEnded, slotsOf, type TradeOrder } from "./trade-order.ts";

/** What operators have to know of a lane. */
export type LaneTrouble = "LaneHeldTooLong" | "OrderWithoutProgress";

/** How long nothing may happen to an order that can go on. */
const mostIdleMs = 5 * 60_000;

/** How long the outcome of an order that has ended may take to be final. Where it takes longest, it is 20 minutes. */
const mostUnsettledMs = 60 * 60_000;

/** How long a lane may stay with a run that has ended. The sweep wakes lanes each minute, and one of its runs may be lost. */
const mostLapsedMs = 2 * 60_000;

/**
 * Since when nothing has happened to one of these orders. An order that has ended only waits until its transactions are
 * final, for which it has an hour, unless a nonce has to be freed. One that waits for a lower gas price, or for another
 * program of its user, is well.
 */
export function idleSinceMs(orders: readonly TradeOrder[], slots: readonly Slot[]): number | undefined {
  const since = orders.flatMap((order) => lastProgressMs(order, slotsOf(order, slots)));
  return since.length === 0 ? undefined : Math.min(...since);
}

const reasonsOfUsers: readonly unknown[] = ["GAS_PRICE_TOO_HIGH", "WALLET_BUSY"];

function lastProgressMs(order: TradeOrder, own: readonly Slot[]): number[] {
  const { intent, life, updatedAt } = order;
  const isSigned = own.some(({ state }) => state === "signed");
  if (life.stage === "waiting" && reasonsOfUsers.includes(life.reasonCode)) return [];
  const signedMs = own.flatMap(({ attempts }) => attempts.map(({ signedAtMs }) => signedAtMs));
  // Until then, its transaction may wait for a lower gas price.
  const mayWait = hasEnded(order) || (isSigned && intent.gasPreset === "slow");
  const lastMs = Math.max(Date.parse(updatedAt), ...signedMs, ...(mayWait ? [intent.validUntil * 1000] : []));
  return [hasEnded(order) && !isSigned ? lastMs + mostUnsettledMs - mostIdleMs : lastMs];
}

/** Whether no run has looked at the lane's newest order. */
export const hasUnseenOrder = ({ jobs, watch }: Lane): boolean => watch?.jobs !== jobs;

/** @param idleMs Since when nothing has happened to one of its orders. */
export function troubleOf(lane: Lane, idleMs: number | undefined, nowMs: number): LaneTrouble | undefined {
  const { holder, leaseUntilMs } = lane;
  if (holder !== undefined && leaseUntilMs !== undefined && nowMs - leaseUntilMs > mostLapsedMs)
    return "LaneHeldTooLong";
  return idleMs !== undefined && nowMs - idleMs > mostIdleMs ? "OrderWithoutProgress" : undefined;
}
