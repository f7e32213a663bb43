import * as schemas from "../../lib/api/trading-operations.ts";
import { handOverTo } from "../../lib/aws/hand-over.ts";
import { type ValueDeps, valuePositions } from "../../lib/markets/value-positions.ts";
import { openWant, wantNothing } from "../../lib/markets/want-markets.ts";
import type { Position } from "../../lib/orders/execution.ts";
import { readFeed } from "../../lib/prices/price-records.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";
import { remembered } from "../../lib/runtime/remembered.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { listExecutions } from "../../lib/trading/list-executions.ts";
import { missedReporter, positionChecker } from "../../lib/trading/report-missed.ts";

const table = openTable(environment("TABLE_NAME"));
const reader = environment("READ_MARKETS_FUNCTION");
const onFault = (error: unknown) => logFault("listPositions", error);

const deps: ValueDeps = {
  table,
  prices: remembered(async () => (await readFeed(table)).prices, 1000),
  want: reader === "" ? wantNothing : openWant(table, handOverTo(reader), onFault),
};

const executor = environment("EXECUTE_ORDERS_FUNCTION");
const checkPositions =
  executor === "" ? undefined : positionChecker(missedReporter(handOverTo(executor), onFault));

export const handler = rest(
  "listPositions",
  schemas.listPositions,
  async ({ userID, now, query: { valued, ...query } }) => {
    const { executions, ...page } = await listExecutions<Position>(
      table,
      { userID, kind: "position" },
      query,
    );
    checkPositions?.(userID, executions);
    const positions =
      valued === "true" ? await valuePositions(deps, { userID, now }, executions) : executions;
    return enveloped({ positions, ...page });
  },
);
