import * as schemas from "../../lib/api/trading-operations.ts";
import { handOverTo } from "../../lib/aws/hand-over.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { cancelOrder } from "../../lib/trading/cancel-order.ts";
import { wakeEffect } from "../../lib/trading/execution/wake-effect.ts";

const deps = {
  table: openTable(environment("TABLE_NAME")),
  ...wakeEffect(handOverTo(environment("EXECUTE_ORDERS_FUNCTION")), (error) =>
    logFault("cancelOrder", error),
  ),
};

export const handler = rest("cancelOrder", schemas.cancelOrder, async ({ userID, path: { orderId } }) =>
  enveloped({ order: await cancelOrder(deps, userID, orderId) }),
);
