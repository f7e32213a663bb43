import { closeConnection } from "../../lib/aws/connection-records.ts";
import { openTable } from "../../lib/aws/table.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { disconnect } from "../../lib/runtime/websocket.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = disconnect((connection) => closeConnection(table, connection));
