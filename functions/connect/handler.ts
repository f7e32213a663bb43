import { randomInt } from "node:crypto";
import { openTable } from "../../lib/aws/table.ts";
import { admitConnection } from "../../lib/realtime/connect.ts";
import { connect } from "../../lib/runtime/connection-events.ts";
import { environment } from "../../lib/runtime/environment.ts";

const table = openTable(environment("TABLE_NAME"));
const shards = Number(environment("CHANNEL_SHARDS"));

export const handler = connect(({ now, ...connection }) =>
  admitConnection(table, connection, { shard: randomInt(shards), now }),
);
