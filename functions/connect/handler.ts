import { randomInt } from "node:crypto";
import { isConnected, openPusher } from "../../lib/aws/push.ts";
import { admitConnection, type ConnectDeps } from "../../lib/realtime/connect.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";
import { connect } from "../../lib/runtime/websocket.ts";
import { openTable } from "../../lib/table/table.ts";

const pusher = openPusher();
const deps: ConnectDeps = {
  table: openTable(environment("TABLE_NAME")),
  limit: environment("CONNECTIONS_PER_USER"),
  isConnected: (connectionId) => isConnected(pusher, connectionId),
  onFault: (error) => logFault("connect", error),
};
const shards = environment("CHANNEL_SHARDS");

export const handler = connect(({ now, ...connection }) =>
  admitConnection(deps, connection, { shard: randomInt(shards), now }),
);
