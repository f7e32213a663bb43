import { handOverTo } from "../../lib/aws/hand-over.ts";
import { connectionPort, openPusher } from "../../lib/aws/push.ts";
import { openPrices } from "../../lib/realtime/snapshots.ts";
import { subscribe } from "../../lib/realtime/subscribe.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logWarning } from "../../lib/runtime/log.ts";
import { limited } from "../../lib/runtime/message-limit.ts";
import { remembered } from "../../lib/runtime/remembered.ts";
import { message } from "../../lib/runtime/websocket.ts";
import { openTable } from "../../lib/table/table.ts";

const table = { ...openTable(environment("TABLE_NAME")), id: environment("TABLE_ID") };
const startFeed =
  environment("PRICE_FEEDS").length > 0 ? handOverTo(environment("FEED_PRICES_FUNCTION")) : undefined;
/** Reads the prices only once a second for all clients, because all of them subscribe at once after an outage. */
const prices = remembered(openPrices(table, startFeed), 1000);
const startReader = handOverTo<object>(environment("READ_MARKETS_FUNCTION"));
const chains = environment("MARKET_CHAINS");
const markets =
  chains.length > 0
    ? {
        chains,
        startReader: remembered(() => startReader({}), 1000),
        onFault: (error: unknown) => logWarning("subscribe", error),
      }
    : undefined;
const connections = connectionPort(openPusher());

export const handler = limited(
  "subscribe",
  connections,
  message("subscribe", (request) => subscribe(table, request, { prices, markets }), connections.send),
);
