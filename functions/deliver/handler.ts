import type { Context } from "aws-lambda";
import { fanOutHandler } from "../../lib/aws/fan-out-http.ts";
import { concurrentPushes, openPusher } from "../../lib/aws/push.ts";
import type { MarketDelivery } from "../../lib/markets/core/market-delivery.ts";
import { type ChannelDelivery, type Deliverer, deliverToShard } from "../../lib/realtime/deliver.ts";
import { deliverMarkets, type MarketDeliverer, SubscriberLists } from "../../lib/realtime/deliver-markets.ts";
import { pushReserveMs } from "../../lib/realtime/push-outcome.ts";
import { openPrices } from "../../lib/realtime/snapshots.ts";
import { background, deadlineOf } from "../../lib/runtime/background.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { reporter } from "../../lib/runtime/log.ts";
import { remembered } from "../../lib/runtime/remembered.ts";
import { openTable } from "../../lib/table/table.ts";

const table = openTable(environment("TABLE_NAME"));
const deliverer: Deliverer & MarketDeliverer = {
  table,
  pusher: openPusher({ requestHandler: fanOutHandler(concurrentPushes) }),
  lists: new SubscriberLists(table),
  prices: remembered(openPrices(table), 1000),
  ...reporter("deliver"),
};

export const handler = background(
  "deliver",
  async (delivery: ChannelDelivery | MarketDelivery, context: Context) => {
    const deadline = deadlineOf(context, pushReserveMs);
    if ("markets" in delivery) {
      const outcome = await deliverMarkets(deliverer, delivery, { deadline });
      if (!outcome.isDelivered || outcome.undelivered > 0)
        console.warn({ operation: "deliver", audience: "markets", ...outcome });
      return outcome;
    }
    const outcome = await deliverToShard(deliverer, delivery, { deadline });
    const { channel } = delivery.update;
    if (outcome.superseded || outcome.undelivered > 0)
      console.warn({ operation: "deliver", channel, ...outcome });
    return undefined;
  },
);
