import { handOverTo } from "../../lib/aws/hand-over.ts";
import { openChains } from "../../lib/chains/families/open-chains.ts";
import { background } from "../../lib/runtime/background.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault, logWarning } from "../../lib/runtime/log.ts";
import { openTable } from "../../lib/table/table.ts";
import { lookEffects } from "../../lib/trading/execution/look-effects.ts";
import { sweepChains } from "../../lib/trading/execution/sweep-chains.ts";
import { tableEffects } from "../../lib/trading/execution/table-effects.ts";
import { wakeEffect } from "../../lib/trading/execution/wake-effect.ts";
import { newSweepMemory } from "../../lib/trading/procedures/reading.ts";

const table = openTable(environment("TABLE_NAME"));
const onFault = (error: unknown) => logFault("sweepLanes", error);
const readers = openChains(environment("TRADING"));
const effects = {
  ...tableEffects(table),
  ...lookEffects(readers),
  ...wakeEffect(handOverTo(environment("EXECUTE_ORDERS_FUNCTION")), onFault),
};
const chains = new Map(
  [...readers].map(([chain, reader]) => [chain, { ...reader, memory: newSweepMemory() }]),
);

export const handler = background("sweepLanes", () =>
  sweepChains({
    table,
    effects,
    chains,
    onFault,
    onTrouble: ({ error, ...details }) => logWarning("sweepLanes", error, details),
  }),
);
