import { openPusher, pushTo } from "../../lib/aws/push.ts";
import { openTable } from "../../lib/aws/table.ts";
import { subscribe } from "../../lib/realtime/subscribe.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { message } from "../../lib/runtime/websocket.ts";

const table = openTable(environment("TABLE_NAME"));
const pusher = openPusher();

export const handler = message(
  "subscribe",
  (request) => subscribe(table, request),
  (connectionID, replies) => pushTo(pusher, connectionID, replies),
);
