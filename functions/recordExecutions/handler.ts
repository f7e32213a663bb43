import { openTable } from "../../lib/aws/table.ts";
import { executionRecorder } from "../../lib/realtime/record-executions.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { recordExecutions } from "../../lib/runtime/executions.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = recordExecutions((now) => executionRecorder(table, now));
