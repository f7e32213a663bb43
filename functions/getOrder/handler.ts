import * as schemas from "../../lib/api/trading-operations.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { getOrder } from "../../lib/trading/get-order.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest("getOrder", schemas.getOrder, async ({ userID, path: { orderId } }) =>
  enveloped(await getOrder(table, userID, orderId)),
);
