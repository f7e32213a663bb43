import { isConnected, openPusher } from "../../lib/aws/push.ts";
import { shardChooser } from "../../lib/realtime/channel-shards.ts";
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
const chooseShard = shardChooser(deps.table, environment("CHANNEL_SHARDS"));

export const handler = connect(async ({ now, program, ...connection }) =>
  admitConnection(deps, connection, { shard: await chooseShard(now), program, now }),
);
