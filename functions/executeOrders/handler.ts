import { callOf } from "../../lib/aws/call-function.ts";
import { openTable } from "../../lib/aws/table.ts";
import type { LaneKey } from "../../lib/domain/trading/intent.ts";
import { background } from "../../lib/runtime/background.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";
import { chainEffects } from "../../lib/trading/chain-effects.ts";
import { executeOrders } from "../../lib/trading/execute-orders.ts";
import { openChains } from "../../lib/trading/open-chains.ts";
import { remoteSigner } from "../../lib/trading/remote-signer.ts";
import { tableEffects } from "../../lib/trading/table-effects.ts";

const table = openTable(environment("TABLE_NAME"));
const effects = { ...tableEffects(table), ...chainEffects(openChains(environment("TRADING"))) };
const signer = remoteSigner(callOf(environment("SIGN_TRANSACTION_FUNCTION")), (error) =>
  logFault("executeOrders", error),
);

export const handler = background("executeOrders", (lane: LaneKey) =>
  executeOrders({ effects, signer }, lane),
);
