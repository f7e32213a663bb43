import { handOverTo } from "../../lib/aws/hand-over.ts";
import { openPusher } from "../../lib/aws/push.ts";
import { openTable } from "../../lib/aws/table.ts";
import { type Publisher, publish } from "../../lib/realtime/publish.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";
import { changesOf } from "../../lib/runtime/stream.ts";

const publisher: Publisher = {
  table: openTable(environment("TABLE_NAME")),
  pusher: openPusher(),
  shards: Number(environment("CHANNEL_SHARDS")),
  handOver: handOverTo(environment("DELIVER_FUNCTION")),
  onFault: (error) => logFault("publishChanges", error),
};

export const handler = changesOf("publishChanges", (records, now) => publish(publisher, records, now));
