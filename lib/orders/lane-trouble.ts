import type { SlotTerms } from "./family.ts";
import { isReservation } from "./lane-reservation.ts";
import type { SlotRules } from "./slot-rules.ts";
import type { Lane } from "./table-step.ts";
import { type AnyOrder, hasEnded, slotsOf } from "./trade-order.ts";

/** Problems of a lane that operators must know about. */
export type LaneTrouble = "LANE_HELD_TOO_LONG" | "ORDER_WITHOUT_PROGRESS";

/** Maximum time for which an order that can continue may stay unchanged. */
const mostIdleMs = 5 * 60_000;

/** Maximum time until an ended order is final. The slowest chain takes 20 minutes. */
const mostUnsettledMs = 60 * 60_000;

/**
 * Maximum time for which a lane may stay with a run that has ended. The sweep wakes lanes each minute, and one of its
 * runs may be lost.
 */
const mostLapsedMs = 2 * 60_000;

/**
 * Returns the time since which one of these orders has not changed although it should have. An ended order has an hour
 * until its transactions are final, unless one of its places must be freed. It is normal that an order waits for lower
 * fees, for its user's policy or for another program.
 */
export function idleSinceMs(
  orders: readonly AnyOrder[],
  slots: readonly SlotTerms[],
  mayWait: SlotRules["mayWait"],
): number | undefined {
  const since = orders.flatMap((order) => lastProgressMs(order, slotsOf(order, slots), mayWait));
  return since.length === 0 ? undefined : Math.min(...since);
}

const reasonsOfUsers: readonly unknown[] = [
  "GAS_PRICE_TOO_HIGH",
  "INSUFFICIENT_BALANCE",
  "POLICY_LIMIT",
  "WALLET_BUSY",
];

function lastProgressMs(order: AnyOrder, own: readonly SlotTerms[], mayWait: SlotRules["mayWait"]): number[] {
  const { intent, life, updatedAt } = order;
  const isSigned = own.some(({ state }) => state === "signed");
  if (life.stage === "waiting" && reasonsOfUsers.includes(life.reasonCode)) return [];
  const signedMs = own.flatMap(({ attempts }) => attempts.map(({ signedAtMs }) => signedAtMs));
  // Until the deadline, a signed transaction may wait for lower fees.
  const isWaiting = hasEnded(order) || (isSigned && mayWait(intent));
  const lastMs = Math.max(
    Date.parse(updatedAt),
    ...signedMs,
    ...(isWaiting ? [intent.validUntil * 1000] : []),
  );
  return [hasEnded(order) && !isSigned ? lastMs + mostUnsettledMs - mostIdleMs : lastMs];
}

/** True if no run has looked at the lane's newest order. */
export const hasUnseenOrder = ({ jobs, watch }: Lane): boolean => watch?.jobs !== jobs;

/** @param idleMs Time since which one of the lane's orders has not changed. */
export function troubleOf(lane: Lane, idleMs: number | undefined, nowMs: number): LaneTrouble | undefined {
  const { holder, leaseUntilMs } = lane;
  const isLapsed = leaseUntilMs !== undefined && nowMs - leaseUntilMs > mostLapsedMs;
  if (holder !== undefined && isLapsed && !isReservation(holder)) return "LANE_HELD_TOO_LONG";
  return idleMs !== undefined && nowMs - idleMs > mostIdleMs ? "ORDER_WITHOUT_PROGRESS" : undefined;
}
