import { usualLifeSeconds } from "../../../orders/resting/times.ts";
import type { TradeOrder } from "../../../orders/trade-order.ts";
import type { Sol } from "./family.ts";
import { markIdOf } from "./intent.ts";
import type { SolSlot } from "./slot.ts";

type SolOrder = TradeOrder<Sol>;

/** Lists the other orders that make an order's marker: children of the same resting order, or of the same slice. */
export const siblingsOf = ({ intent }: SolOrder, orders: readonly SolOrder[]): SolOrder[] =>
  intent.parent === undefined
    ? []
    : orders.filter(
        ({ intent: other }) =>
          other.parent !== undefined &&
          markIdOf(other) === markIdOf(intent) &&
          other.orderId !== intent.orderId,
      );

export const siblingSlotsOf = (
  order: SolOrder,
  orders: readonly SolOrder[],
  slots: readonly SolSlot[],
): SolSlot[] => {
  const siblings = siblingsOf(order, orders);
  return slots.filter((slot) => siblings.some(({ intent }) => intent.orderId === slot.orderId));
};

/**
 * Returns the time from which no message that fills an order is signed. The messages of a child follow its first one
 * within seconds, because its price holds no longer.
 */
export function lastSigningMs(
  { intent: { validUntil, parent } }: SolOrder,
  slot: Pick<SolSlot, "attempts"> | undefined,
): number {
  const firstMs = slot?.attempts[0]?.signedAtMs;
  const endMs = validUntil * 1000;
  return parent === undefined || firstMs === undefined
    ? endMs
    : Math.min(endMs, firstMs + usualLifeSeconds * 1000);
}
