import { evmDetails } from "./evm/evm-details.ts";
import type { Slot } from "./evm/slot.ts";
import type { AnySlot } from "./families.ts";
import type { OrderDetails } from "./order-details.ts";
import { solDetails } from "./sol/sol-details.ts";
import type { SolSlot } from "./sol/sol-slot.ts";
import { type AnyOrder, isSolOrder, slotsOf, type TradeOrder } from "./trade-order.ts";

/** Describes an order's transactions, in the order in which they were made. */
export function detailsOf(order: AnyOrder, slots: readonly AnySlot[]): OrderDetails {
  if (order.details !== undefined) return order.details;
  const own = slotsOf(order, slots);
  return isSolOrder(order)
    ? solDetails(order, own as readonly SolSlot[])
    : evmDetails(order as TradeOrder, own as readonly Slot[]);
}
