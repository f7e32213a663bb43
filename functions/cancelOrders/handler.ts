import * as schemas from "../../lib/api/trading-operations.ts";
import { handOverTo } from "../../lib/aws/hand-over.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { cancelOrders } from "../../lib/trading/cancel-orders.ts";
import { wakeEffect } from "../../lib/trading/execution/wake-effect.ts";
import { lanesOfUser } from "../../lib/wallets/wallet-records.ts";

const table = openTable(environment("TABLE_NAME"));
const deps = {
  table,
  lanesOf: (userID: string) => lanesOfUser(table, userID),
  ...wakeEffect(handOverTo(environment("EXECUTE_ORDERS_FUNCTION")), (error) =>
    logFault("cancelOrders", error),
  ),
};

export const handler = rest("cancelOrders", schemas.cancelOrders, async ({ userID, body }) =>
  enveloped({ cancelled: await cancelOrders(deps, userID, body) }),
);
