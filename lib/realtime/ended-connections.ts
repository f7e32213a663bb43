import { type ConnectionName, closeConnection } from "../aws/connection-records.ts";
import { hangUp, type Pusher } from "../aws/push.ts";
import type { Table } from "../aws/table.ts";
import { forEachConcurrently } from "../concurrency.ts";

/** At the same time: many may have ended at once. */
const concurrency = 16;

/**
 * Forgets connections that have ended.
 *
 * @param onFault hears why one could not be forgotten. The next message for it comes upon it again.
 */
export async function forgetConnections(
  table: Table,
  ended: readonly ConnectionName[],
  onFault: (error: unknown) => void,
): Promise<void> {
  await forEachConcurrently(ended, { concurrency }, (name) => closeConnection(table, name).catch(onFault));
}

/**
 * Ends the connections of clients that do not read. Waiting for them would keep others waiting, and to leave out what they
 * miss would leave them with a wrong picture; who connects again and subscribes has the right one.
 */
export async function endConnections(
  { table, pusher }: { table: Table; pusher: Pusher },
  stuck: readonly ConnectionName[],
  onFault: (error: unknown) => void,
): Promise<void> {
  await forEachConcurrently(stuck, { concurrency }, ({ connectionID }) =>
    hangUp(pusher, connectionID).catch(onFault),
  );
  await forgetConnections(table, stuck, onFault);
}
