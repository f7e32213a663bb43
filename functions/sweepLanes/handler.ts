import { handOverTo } from "../../lib/aws/hand-over.ts";
import { shardCounter } from "../../lib/realtime/channel-shards.ts";
import { hasSubscribers } from "../../lib/realtime/connection-records.ts";
import { keepMarketsRead } from "../../lib/realtime/market-reader.ts";
import { background } from "../../lib/runtime/background.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault, logWarning } from "../../lib/runtime/log.ts";
import { openTrading } from "../../lib/runtime/open-trading.ts";
import { openTable } from "../../lib/table/table.ts";
import { lookEffects } from "../../lib/trading/execution/look-effects.ts";
import { sweepChains } from "../../lib/trading/execution/sweep-chains.ts";
import { tableEffects } from "../../lib/trading/execution/table-effects.ts";
import { wakeEffect } from "../../lib/trading/execution/wake-effect.ts";
import { newSweepMemory } from "../../lib/trading/procedures/reading.ts";

const table = openTable(environment("TABLE_NAME"));
const onFault = (error: unknown) => logFault("sweepLanes", error);
const readers = openTrading("sweepLanes");
const effects = {
  ...tableEffects(table),
  ...lookEffects(readers),
  ...wakeEffect(handOverTo(environment("EXECUTE_ORDERS_FUNCTION")), onFault),
};
const chains = new Map(
  [...readers].map(([chain, reader]) => [chain, { ...reader, memory: newSweepMemory() }]),
);
const countShards = shardCounter(table, environment("CHANNEL_SHARDS"));
const readMarkets = environment("READ_MARKETS_FUNCTION");
const markets = {
  isFollowed: async () => hasSubscribers(table, "markets", await countShards(new Date())),
  startReader: handOverTo(readMarkets),
  onUnread: (error: unknown) => logWarning("sweepLanes", error),
};

/** Replaces the run of readMarkets even while no price of a coin changes, which otherwise does so. */
const keepRead = async () => {
  if (readMarkets !== "") await keepMarketsRead(table, markets, { isTurn: true }).catch(onFault);
};

export const handler = background("sweepLanes", async () => {
  await Promise.all([
    keepRead(),
    sweepChains({
      table,
      effects,
      chains,
      onFault,
      onTrouble: ({ error, ...details }) => logWarning("sweepLanes", error, details),
    }),
  ]);
});
