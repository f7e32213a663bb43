import { connectionPort, openPusher } from "../../lib/aws/push.ts";
import { readPrices } from "../../lib/prices/price-records.ts";
import { subscribe } from "../../lib/realtime/subscribe.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { limited } from "../../lib/runtime/message-limit.ts";
import { remembered } from "../../lib/runtime/remembered.ts";
import { message } from "../../lib/runtime/websocket.ts";
import { openTable } from "../../lib/table/table.ts";

const table = openTable(environment("TABLE_NAME"));
/** Prices change once a second. Many clients may subscribe in that second; after an outage, all of them do. */
const prices = remembered(() => readPrices(table), 1000);
const connections = connectionPort(openPusher());

export const handler = limited(
  "subscribe",
  connections,
  message("subscribe", (request) => subscribe(table, request, prices), connections.send),
);
