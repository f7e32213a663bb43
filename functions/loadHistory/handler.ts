import type { Context } from "aws-lambda";
import { type HistoryOrder, loadHistory } from "../../lib/markets/evm/load-history.ts";
import { readHistory } from "../../lib/markets/evm/read-history.ts";
import { historyWriter, tokenStore } from "../../lib/markets/runs/token-store.ts";
import { loadSampledHistory, type SampledHistoryOrder } from "../../lib/markets/sol/load-history.ts";
import { background, deadlineOf } from "../../lib/runtime/background.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { openTrading } from "../../lib/runtime/open-trading.ts";
import { openTable } from "../../lib/table/table.ts";

const table = openTable(environment("TABLE_NAME"));
const chains = openTrading("loadHistory");
const stored = { store: tokenStore(table), writer: historyWriter(table) };

/** Reserves time to store the results. */
const storeMs = 15_000;

const isSampled = (order: HistoryOrder | SampledHistoryOrder): order is SampledHistoryOrder =>
  order.name.chain === "sol";

export const handler = background(
  "loadHistory",
  async (order: HistoryOrder | SampledHistoryOrder, context: Context) => {
    const untilMs = deadlineOf(context, storeMs).getTime();
    const reader = chains.get(order.name.chain);
    if (reader === undefined) return "unavailable";
    if (isSampled(order))
      return reader.family === "sol"
        ? loadSampledHistory({ reader, ...stored }, order, untilMs)
        : "unavailable";
    if (reader.family !== "evm") return "unavailable";
    const deps = {
      readHistory: (...[pool, asked]: [HistoryOrder["pool"], Parameters<typeof readHistory>[2]]) =>
        readHistory(reader, pool, asked),
      ...stored,
    };
    return loadHistory(deps, order, untilMs);
  },
);
