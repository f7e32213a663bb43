import type { Context } from "aws-lambda";
import { fanOutHandler } from "../../lib/aws/fan-out-http.ts";
import { concurrentPushes, openPusher } from "../../lib/aws/push.ts";
import { type ChannelDelivery, type Deliverer, deliverToShard } from "../../lib/realtime/deliver.ts";
import { pushReserveMs } from "../../lib/realtime/push-outcome.ts";
import { openPrices } from "../../lib/realtime/snapshots.ts";
import { background, deadlineOf } from "../../lib/runtime/background.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { reporter } from "../../lib/runtime/log.ts";
import { remembered } from "../../lib/runtime/remembered.ts";
import { openTable } from "../../lib/table/table.ts";

const table = openTable(environment("TABLE_NAME"));
const deliverer: Deliverer = {
  table,
  pusher: openPusher({ requestHandler: fanOutHandler(concurrentPushes) }),
  prices: remembered(openPrices(table), 1000),
  ...reporter("deliver"),
};

export const handler = background("deliver", async (delivery: ChannelDelivery, context: Context) => {
  const outcome = await deliverToShard(deliverer, delivery, { deadline: deadlineOf(context, pushReserveMs) });
  const { channel } = delivery.update;
  if (outcome.superseded || outcome.undelivered > 0)
    console.warn({ operation: "deliver", channel, ...outcome });
});
