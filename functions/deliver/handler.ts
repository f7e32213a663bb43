import { openPusher } from "../../lib/aws/push.ts";
import { openTable } from "../../lib/aws/table.ts";
import { type ChannelDelivery, type Deliverer, deliverToShard } from "../../lib/realtime/deliver.ts";
import { background } from "../../lib/runtime/background.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";

const deliverer: Deliverer = {
  table: openTable(environment("TABLE_NAME")),
  pusher: openPusher(),
  onFault: (error) => logFault("deliver", error),
};

export const handler = background("deliver", async (delivery: ChannelDelivery): Promise<void> => {
  const outcome = await deliverToShard(deliverer, delivery);
  const { channel } = delivery.update;
  if (outcome.superseded || outcome.undelivered > 0)
    console.warn({ operation: "deliver", channel, ...outcome });
});
