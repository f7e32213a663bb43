import { readExecution } from "../aws/execution-records.ts";
import type { Table } from "../aws/table.ts";
import { readOrder } from "../aws/trading-views.ts";
import { DomainError } from "../domain/domain-error.ts";
import type { Order } from "../domain/execution.ts";
import type { OrderDetails } from "../domain/trading/order-details.ts";
import { detailsOf } from "../domain/trading/order-report.ts";
import { shownOrder } from "../domain/trading/trade-order.ts";

/**
 * Returns an order, with its transactions if it was placed here.
 *
 * @throws {DomainError} ORDER_NOT_FOUND
 */
export async function getOrder(
  table: Table,
  userID: string,
  orderId: string,
): Promise<{ order: Order } & OrderDetails> {
  const [{ order, slots }, recorded] = await Promise.all([
    readOrder(table, userID, orderId),
    readExecution(table, userID, "order", orderId),
  ]);
  if (order !== undefined) return { order: shownOrder(order), ...detailsOf(order, slots) };
  if (recorded === undefined) throw orderNotFound();
  return { order: recorded as unknown as Order, attempts: [] };
}

export const orderNotFound = (): DomainError =>
  new DomainError("ORDER_NOT_FOUND", "You have no order with this id");
