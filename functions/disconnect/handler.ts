import { closeConnection } from "../../lib/realtime/connection-records.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { disconnect } from "../../lib/runtime/websocket.ts";
import { openTable } from "../../lib/table/table.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = disconnect((connection) => closeConnection(table, connection));
