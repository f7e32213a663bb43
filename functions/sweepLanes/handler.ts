import { handOverTo } from "../../lib/aws/hand-over.ts";
import { openTable } from "../../lib/aws/table.ts";
import { tradingChains } from "../../lib/domain/trading/trading-chain.ts";
import { background } from "../../lib/runtime/background.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";
import { sweepChains } from "../../lib/trading/sweep-chains.ts";
import { tableEffects } from "../../lib/trading/table-effects.ts";
import { wakeEffect } from "../../lib/trading/wake-effect.ts";

const onFault = (error: unknown) => logFault("sweepLanes", error);
const effects = {
  ...tableEffects(openTable(environment("TABLE_NAME"))),
  ...wakeEffect(handOverTo(environment("EXECUTE_ORDERS_FUNCTION")), onFault),
};
const trading = environment("TRADING");
const chains = tradingChains.filter((chain) => trading[chain] !== undefined);

export const handler = background("sweepLanes", () => sweepChains(effects, chains));
