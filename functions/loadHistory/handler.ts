import type { Context } from "aws-lambda";
import { isEvmChain } from "../../lib/core/chain-facts.ts";
import { type HistoryOrder, loadHistory } from "../../lib/markets/evm/load-history.ts";
import { readHistory } from "../../lib/markets/evm/read-history.ts";
import { historyWriter, tokenStore } from "../../lib/markets/runs/token-store.ts";
import { background, deadlineOf } from "../../lib/runtime/background.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { openEvmTrading } from "../../lib/runtime/open-trading.ts";
import { openTable } from "../../lib/table/table.ts";

const table = openTable(environment("TABLE_NAME"));
const chains = openEvmTrading("loadHistory");

/** Reserves time to store the results. */
const storeMs = 15_000;

export const handler = background("loadHistory", async (order: HistoryOrder, context: Context) => {
  const { chain } = order.name;
  const reader = isEvmChain(chain) ? chains.get(chain) : undefined;
  if (reader === undefined) return "unavailable";
  const deps = {
    readHistory: (...[pool, asked]: [HistoryOrder["pool"], Parameters<typeof readHistory>[2]]) =>
      readHistory(reader, pool, asked),
    store: tokenStore(table),
    writer: historyWriter(table),
  };
  return loadHistory(deps, order, deadlineOf(context, storeMs).getTime());
});
