import { DomainError } from "../core/domain-error.ts";
import { isOpen, type Order } from "../orders/execution.ts";
import { shownFirings, shownResting } from "../orders/resting/shown.ts";
import { shownOrder } from "../orders/trade-order.ts";
import { getItems } from "../table/batch-get.ts";
import type { Table } from "../table/table.ts";
import { contentOf } from "./items/items.ts";
import { tradeKeyOf } from "./items/lane-records.ts";
import { readParent, readResting } from "./items/resting-records.ts";
import { filterOf, type ListRequest, listExecutions } from "./list-executions.ts";

type OrdersRequest = ListRequest & {
  /** A resting order whose children are listed. */
  parent?: string | undefined;
};

/**
 * Lists a page of the user's orders, all resting orders, or the children of a resting order, newest first.
 *
 * @throws {DomainError} INVALID_REQUEST if an address has a wrong checksum, or the cursor belongs to another list.
 */
export async function listOrders(
  table: Table,
  userID: string,
  { parent, ...request }: OrdersRequest,
): Promise<{ orders: Order[]; cursor?: string }> {
  const isResting = request.status === "resting";
  if (parent === undefined && !isResting) {
    const { executions, ...page } = await listExecutions<Order>(table, { userID, kind: "order" }, request);
    return { orders: executions, ...page };
  }
  if (request.cursor !== undefined)
    throw new DomainError("INVALID_REQUEST", "cursor is not for this list, which is not paged", {
      field: "cursor",
    });
  const { status: _, ...filtered } = request;
  const filter = Object.entries(filterOf(isResting ? filtered : request));
  const all = parent === undefined ? await restingOf(table, userID) : await childrenOf(table, userID, parent);
  const orders = all.filter((order) =>
    filter.every(([name, values]) => values.includes(String(order[name as keyof Order]))),
  );
  return { orders: orders.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1)) };
}

const restingOf = async (table: Table, userID: string): Promise<Order[]> =>
  (await readResting(table, userID)).map(shownResting).filter(isOpen);

async function childrenOf(table: Table, userID: string, parent: string): Promise<Order[]> {
  const order = await readParent(table, userID, parent);
  const items = await getItems<object>(
    table,
    order === undefined ? [] : shownFirings(order).map(({ orderId }) => tradeKeyOf({ userID, orderId })),
  );
  return items.map((item) => shownOrder(contentOf("order", item)));
}
