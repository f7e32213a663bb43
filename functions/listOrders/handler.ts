import * as schemas from "../../lib/api/trading-operations.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { listOrders } from "../../lib/trading/list-orders.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest("listOrders", schemas.listOrders, async ({ userID, query }) =>
  enveloped(await listOrders(table, userID, query)),
);
