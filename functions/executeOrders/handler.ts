import { openTable } from "../../lib/aws/table.ts";
import type { LaneKey } from "../../lib/domain/trading/intent.ts";
import { background } from "../../lib/runtime/background.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { chainEffects } from "../../lib/trading/chain-effects.ts";
import { executeOrders, noSigner } from "../../lib/trading/execute-orders.ts";
import { openChains } from "../../lib/trading/open-chains.ts";
import { tableEffects } from "../../lib/trading/table-effects.ts";

const table = openTable(environment("TABLE_NAME"));
const effects = { ...tableEffects(table), ...chainEffects(openChains(environment("TRADING"))) };

export const handler = background("executeOrders", (lane: LaneKey) =>
  executeOrders({ effects, signer: noSigner }, lane),
);
