import { background } from "../../lib/runtime/background.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { recordExecutions } from "../../lib/runtime/executions.ts";
import { openTable } from "../../lib/table/table.ts";
import { executionRecorder } from "../../lib/trading/record-executions.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = background(
  "recordExecutions",
  recordExecutions((now) => executionRecorder(table, now)),
);
