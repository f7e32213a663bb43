import type { ShownDetails } from "../chains/families/slots.ts";
import { DomainError } from "../core/domain-error.ts";
import type { Order } from "../orders/execution.ts";
import type { Firing } from "../orders/resting/life.ts";
import { shownFirings, shownResting } from "../orders/resting/shown.ts";
import { shownOrder } from "../orders/trade-order.ts";
import type { Table } from "../table/table.ts";
import { readExecution } from "./items/execution-records.ts";
import { readRestingOrder } from "./items/resting-records.ts";
import { readOrder } from "./items/views.ts";
import { detailsOf } from "./order-report.ts";

/**
 * Returns an order. If it was placed through this API, includes its transactions, or the firings of a resting order.
 *
 * @throws {DomainError} ORDER_NOT_FOUND
 */
export async function getOrder(
  table: Table,
  userID: string,
  orderId: string,
): Promise<{ order: Order; firings?: Firing[] } & ShownDetails> {
  const [{ order, slots, rested }, recorded] = await Promise.all([
    readOrder(table, userID, orderId),
    readExecution(table, userID, "order", orderId),
  ]);
  if (order !== undefined) return { order: shownOrder(order), ...detailsOf(order, slots) };
  const resting = rested ?? (await readRestingOrder(table, userID, orderId));
  if (resting !== undefined)
    return { order: shownResting(resting), attempts: [], firings: shownFirings(resting) };
  if (recorded === undefined) throw orderNotFound();
  return { order: recorded as unknown as Order, attempts: [] };
}

export const orderNotFound = (): DomainError =>
  new DomainError("ORDER_NOT_FOUND", "You have no order with this id");
