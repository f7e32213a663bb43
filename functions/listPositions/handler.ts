import * as schemas from "../../lib/api/trading-operations.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import type { Position } from "../../lib/trading/core/execution.ts";
import { listExecutions } from "../../lib/trading/list-executions.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = rest("listPositions", schemas.listPositions, async ({ userID, query }) => {
  const { executions: positions, ...page } = await listExecutions<Position>(
    table,
    { userID, kind: "position" },
    query,
  );
  return enveloped({ positions, ...page });
});
