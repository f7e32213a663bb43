import { type ShownDetails, slotsOfFamily } from "../chains/families/slots.ts";
import type { SlotTerms } from "../orders/family.ts";
import { slotsOf } from "../orders/trade-order.ts";
import type { StoredOrder } from "./items/items.ts";

/** Describes an order's transactions in the order in which they were made. */
export const detailsOf = (order: StoredOrder, slots: readonly SlotTerms[]): ShownDetails =>
  order.details ?? slotsOfFamily(order.intent.chain).detailsOf(order, slotsOf(order, slots));
