import { announceOrder, startExecution } from "../../lib/runtime/start-execution.ts";

// Must stay behind the import above, which begins to start later functions while the others load.

import * as schemas from "../../lib/api/trading-operations.ts";
import { handOverTo } from "../../lib/aws/hand-over.ts";
import { openCheckingTable } from "../../lib/runtime/checking-table.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";
import { openJupiter } from "../../lib/runtime/open-jupiter.ts";
import { openTrading } from "../../lib/runtime/open-trading.ts";
import { enveloped, maybeReplayed, rest } from "../../lib/runtime/rest.ts";
import { startTriggersOf } from "../../lib/trading/execution/start-firing.ts";
import { wakeEffect } from "../../lib/trading/execution/wake-effect.ts";
import { keyOfOrder } from "../../lib/trading/idempotency.ts";
import { placeAutomatic } from "../../lib/trading/place-automatic.ts";
import { placeOrder } from "../../lib/trading/place-order.ts";
import { placeResting } from "../../lib/trading/place-resting.ts";
import { openMacs } from "../../lib/trading/signing/intent-mac.ts";

const onFault = (error: unknown) => logFault("placeOrder", error);
const table = { ...openCheckingTable(), laneShards: environment("LANE_SHARDS") };
const tableId = environment("TABLE_ID");
const deps = {
  table,
  chains: openTrading("placeOrder", openJupiter("placeOrder")),
  macs: openMacs(environment("MAC_KEY_ID"), tableId),
  tableId,
  lossSignIn: environment("LOSS_SIGN_IN"),
  startTriggers: startTriggersOf(table, handOverTo(environment("WATCH_TRIGGERS_FUNCTION")), onFault),
  ...wakeEffect(handOverTo(environment("EXECUTE_ORDERS_FUNCTION")), onFault, startExecution),
};

export const handler = rest("placeOrder", schemas.placeOrder, async ({ userID, headers, ...asked }) => {
  const { body } = asked;
  const key = keyOfOrder(headers["Idempotency-Key"], body.clientOrderId);
  // Starts the order's later functions while hosts are asked. A resting order needs none of them yet.
  if ("auto" in body || (body.type === "market" && body.dryRun !== true)) announceOrder(body.chain);
  const caller = { ...asked, userID, key };
  const placed =
    "auto" in body
      ? await placeAutomatic(deps, { ...caller, body })
      : body.type === "market"
        ? await placeOrder(deps, { ...caller, body })
        : await placeResting(deps, { ...caller, body });
  if (!("order" in placed)) return enveloped(placed);
  const { isReplayed, ...data } = placed;
  return maybeReplayed(data, isReplayed);
});
