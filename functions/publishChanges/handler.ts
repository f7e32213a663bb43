import { handOverTo } from "../../lib/aws/hand-over.ts";
import { openPusher } from "../../lib/aws/push.ts";
import { openTable } from "../../lib/aws/table.ts";
import { type Publisher, publish } from "../../lib/realtime/publish.ts";
import { onChanges } from "../../lib/runtime/background.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";

const publisher: Publisher = {
  table: openTable(environment("TABLE_NAME")),
  pusher: openPusher(),
  shards: environment("CHANNEL_SHARDS"),
  handOver: handOverTo(environment("DELIVER_FUNCTION")),
  onFault: (error) => logFault("publishChanges", error),
};

export const handler = onChanges("publishChanges", (records, now) => publish(publisher, records, now));
