import { directStartOf, handOverTo } from "../../lib/aws/hand-over.ts";
import { fireRequest } from "../../lib/orders/resting/hand-over.ts";
import { shortenWaits } from "../../lib/orders/resting/times.ts";
import { background } from "../../lib/runtime/background.ts";
import { openCheckingTable } from "../../lib/runtime/checking-table.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";
import { openTrading } from "../../lib/runtime/open-trading.ts";
import { validate } from "../../lib/runtime/validate.ts";
import { type WakeEvent, wakeEffect } from "../../lib/trading/execution/wake-effect.ts";
import { fireOrders } from "../../lib/trading/fire-orders.ts";
import { openMacs } from "../../lib/trading/signing/intent-mac.ts";

if (environment("FAST_TRIGGERS")) shortenWaits();

const tableId = environment("TABLE_ID");
const deps = {
  table: { ...openCheckingTable(), id: tableId, laneShards: environment("LANE_SHARDS") },
  chains: openTrading("fireOrders"),
  macs: openMacs(environment("CHILD_MAC_KEY_ID"), tableId),
  ...wakeEffect(
    handOverTo(environment("EXECUTE_ORDERS_FUNCTION")),
    (error) => logFault("fireOrders", error),
    directStartOf<WakeEvent>(environment("EXECUTE_ORDERS_FUNCTION")),
  ),
};

export const handler = background("fireOrders", async (event: unknown) =>
  fireOrders(deps, validate(fireRequest, event, "event")),
);
