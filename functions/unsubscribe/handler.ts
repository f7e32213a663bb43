import { connectionPort, openPusher } from "../../lib/aws/push.ts";
import { unsubscribe } from "../../lib/realtime/subscribe.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logWarning } from "../../lib/runtime/log.ts";
import { limited } from "../../lib/runtime/message-limit.ts";
import { message } from "../../lib/runtime/websocket.ts";
import { openTable } from "../../lib/table/table.ts";

const table = openTable(environment("TABLE_NAME"));
const onFault = (error: unknown) => logWarning("unsubscribe", error);
const connections = connectionPort(openPusher());

export const handler = limited(
  "unsubscribe",
  connections,
  message("unsubscribe", (request) => unsubscribe(table, request, { onFault }), connections.send),
);
