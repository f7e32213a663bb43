import * as schemas from "../../lib/api/trading-operations.ts";
import type { Order } from "../../lib/orders/execution.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { listExecutions } from "../../lib/trading/list-executions.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest("listOrders", schemas.listOrders, async ({ userID, query }) => {
  const { executions: orders, ...page } = await listExecutions<Order>(
    table,
    { userID, kind: "order" },
    query,
  );
  return enveloped({ orders, ...page });
});
