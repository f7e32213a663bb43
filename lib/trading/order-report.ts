import { evmDetails } from "../chains/evm/rules/details.ts";
import type { Slot } from "../chains/evm/rules/slot.ts";
import type { AnySlot } from "../chains/families/types.ts";
import { solDetails } from "../chains/sol/rules/details.ts";
import type { SolSlot } from "../chains/sol/rules/slot.ts";
import type { OrderDetails } from "../orders/order-details.ts";
import { type AnyOrder, isSolOrder, slotsOf, type TradeOrder } from "../orders/trade-order.ts";

/** Describes an order's transactions, in the order in which they were made. */
export function detailsOf(order: AnyOrder, slots: readonly AnySlot[]): OrderDetails {
  if (order.details !== undefined) return order.details;
  const own = slotsOf(order, slots);
  return isSolOrder(order)
    ? solDetails(order, own as readonly SolSlot[])
    : evmDetails(order as TradeOrder, own as readonly Slot[]);
}
