import type { Context } from "aws-lambda";
import { handOverTo } from "../../lib/aws/hand-over.ts";
import { noticeBus } from "../../lib/aws/notice-bus.ts";
import { openPusher } from "../../lib/aws/push.ts";
import { occupiedShards, shardCounter } from "../../lib/realtime/channel-shards.ts";
import { hasSubscribers } from "../../lib/realtime/connection-records.ts";
import { type Publisher, publish } from "../../lib/realtime/publish.ts";
import { pushReserveMs } from "../../lib/realtime/push-outcome.ts";
import { deadlineOf, onChanges } from "../../lib/runtime/background.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { reporter } from "../../lib/runtime/log.ts";
import { remembered } from "../../lib/runtime/remembered.ts";
import { openTable } from "../../lib/table/table.ts";

const table = openTable(environment("TABLE_NAME"));
const countShards = shardCounter(table, environment("CHANNEL_SHARDS"));
const readMarkets = environment("READ_MARKETS_FUNCTION");

const publisher: Publisher = {
  table,
  pusher: openPusher(),
  occupiedShards: occupiedShards(table, countShards),
  handOver: handOverTo(environment("DELIVER_FUNCTION")),
  startFeed: handOverTo(environment("FEED_PRICES_FUNCTION")),
  markets:
    readMarkets === ""
      ? undefined
      : {
          isFollowed: remembered(
            async () => hasSubscribers(table, "markets", await countShards(new Date())),
            5000,
          ),
          startReader: handOverTo(readMarkets),
        },
  putNotice: noticeBus(environment("NOTICE_BUS_ARN")),
  startCatchUp: handOverTo(environment("CATCH_UP_FUNCTION")),
  ...reporter("publishChanges"),
};

export const handler = onChanges("publishChanges", (records, context: Context) =>
  publish(publisher, records, { now: new Date(), deadline: deadlineOf(context, pushReserveMs) }),
);
