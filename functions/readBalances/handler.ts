import * as schemas from "../../lib/api/trading-operations.ts";
import { handOverTo } from "../../lib/aws/hand-over.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";
import { openTrading } from "../../lib/runtime/open-trading.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { type BalanceDeps, readBalances } from "../../lib/trading/read-balances.ts";
import { missedReporter } from "../../lib/trading/report-missed.ts";
import { addressesOfUser } from "../../lib/wallets/wallet-records.ts";

const table = openTable(environment("TABLE_NAME"));

const deps: BalanceDeps = {
  table,
  chains: openTrading("readBalances"),
  addressesOf: (userID, chain) => addressesOfUser(table, userID, chain),
  reportMissed: missedReporter(handOverTo(environment("EXECUTE_ORDERS_FUNCTION")), (error) =>
    logFault("readBalances", error),
  ),
};

export const handler = rest("readBalances", schemas.readBalances, async ({ userID, now, query }) =>
  enveloped(await readBalances(deps, { userID, now, asked: query })),
);
