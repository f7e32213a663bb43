import * as schemas from "../../lib/api/trading-operations.ts";
import { handOverTo } from "../../lib/aws/hand-over.ts";
import { openChains } from "../../lib/chains/families/open-chains.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { readBalances } from "../../lib/trading/read-balances.ts";
import { missedReporter } from "../../lib/trading/report-missed.ts";

const deps = {
  table: openTable(environment("TABLE_NAME")),
  chains: openChains(environment("TRADING")),
  reportMissed: missedReporter(handOverTo(environment("EXECUTE_ORDERS_FUNCTION")), (error) =>
    logFault("readBalances", error),
  ),
};

export const handler = rest("readBalances", schemas.readBalances, async ({ userID, now, query }) =>
  enveloped(await readBalances(deps, { userID, now, asked: query })),
);
