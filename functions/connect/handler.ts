import { randomInt } from "node:crypto";
import { openTable } from "../../lib/aws/table.ts";
import { admitConnection } from "../../lib/realtime/connect.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { connect } from "../../lib/runtime/websocket.ts";

const table = openTable(environment("TABLE_NAME"));
const shards = environment("CHANNEL_SHARDS");

export const handler = connect(({ now, ...connection }) =>
  admitConnection(table, connection, { shard: randomInt(shards), now }),
);
