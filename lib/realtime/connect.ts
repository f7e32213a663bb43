import { type ConnectionName, connectionsOfUser, openConnection } from "../aws/connection-records.ts";
import type { Table } from "../aws/table.ts";

/** How many connections a user may have at once: each is a push for every change of theirs, for which others wait. */
export const mostConnections = 100;

/**
 * Remembers a new connection, unless its user has as many as one may. Handshakes at the same time can bring a few more.
 *
 * @returns whether there is room for it.
 */
export async function connect(
  table: Table,
  name: ConnectionName,
  { shard, now }: { shard: number; now: Date },
): Promise<boolean> {
  const known = await connectionsOfUser(table, name.userID);
  // DynamoDB may take days to delete a record that has expired.
  const open = known.filter(({ expiresAt }) => expiresAt * 1000 > now.getTime());
  if (open.length >= mostConnections) return false;
  await openConnection(table, name, { shard, now });
  return true;
}
