import { connectionPort, openPusher } from "../../lib/aws/push.ts";
import { unsubscribe } from "../../lib/realtime/subscribe.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { limited } from "../../lib/runtime/message-limit.ts";
import { message } from "../../lib/runtime/websocket.ts";
import { openTable } from "../../lib/table/table.ts";

const table = openTable(environment("TABLE_NAME"));
const connections = connectionPort(openPusher());

export const handler = limited(
  "unsubscribe",
  connections,
  message("unsubscribe", (request) => unsubscribe(table, request), connections.send),
);
