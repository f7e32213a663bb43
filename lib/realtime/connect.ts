import { type ConnectionName, connectionsOfUser, openConnection } from "../aws/connection-records.ts";
import type { Table } from "../aws/table.ts";

/** The most connections of a user. A change is pushed to each of them, and other users wait meanwhile. */
export const maxConnections = 100;

/**
 * Records a new connection if its user may have another. Concurrent handshakes can bring a few connections too many.
 *
 * @returns false, without writing, if the user has too many open connections.
 */
export async function admitConnection(
  table: Table,
  name: ConnectionName,
  { shard, now }: { shard: number; now: Date },
): Promise<boolean> {
  const known = await connectionsOfUser(table, name.userID);
  // DynamoDB may take days to delete an expired record.
  const open = known.filter(({ expiresAt }) => expiresAt * 1000 > now.getTime());
  if (open.length >= maxConnections) return false;
  await openConnection(table, name, { shard, now });
  return true;
}
