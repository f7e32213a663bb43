import { connectionPort, openPusher } from "../../lib/aws/push.ts";
import { openTable } from "../../lib/aws/table.ts";
import { subscribe } from "../../lib/realtime/subscribe.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { limited } from "../../lib/runtime/message-limit.ts";
import { message } from "../../lib/runtime/websocket.ts";

const table = openTable(environment("TABLE_NAME"));
const connections = connectionPort(openPusher());

export const handler = limited(
  "subscribe",
  connections,
  message("subscribe", (request) => subscribe(table, request), connections.send),
);
