import { hangUp, isRefusal, type Outcome, type Pusher } from "../aws/push.ts";
import { forEachConcurrently } from "../core/concurrency.ts";
import type { Table } from "../table/table.ts";
import { type ConnectionName, closeConnection } from "./connection-records.ts";

export type Reporter = {
  /** Reports a fault, which counts as a failure of the function. */
  onFault: (error: unknown, details?: object) => void;
  /** Reports an error that made connections miss messages, once for each error name, or that prevented a notice. */
  onMissed: (error: unknown, details: { connections: number } | { notice: string }) => void;
};

/** Time reserved, after the last push of a run, for the answer to this push and for the notes in the table. */
export const pushReserveMs = 6000;

/** Maximum number of connections to process at a time. Many may have been closed at once. */
export const concurrency = 16;

/** Time without an accepted message after which a connection is closed. */
const streakMs = 60_000;

/** True if a connection has accepted no message for so long that its client has probably stopped reading. */
export const isStuck = (stuckSince: string | undefined, now: Date): boolean =>
  stuckSince !== undefined && now.getTime() - Date.parse(stuckSince) > streakMs;

/**
 * True if pushes work in general, so that a failure concerns only a single connection. At most one in five pushes may
 * fail, or a single one if there are fewer than five. A throttled account also refuses pushes to healthy clients.
 */
export const isHealthy = ({ reached, missed }: Outcome<unknown>): boolean =>
  reached.length > 0 && missed.length <= Math.max(1, reached.length / 4);

/**
 * Reports why connections missed messages. Counts as a fault if no push succeeded, unless all refusals came from the
 * clients of a single user. Otherwise that user could raise the alarm by not reading messages.
 */
export function reportMissed(
  { reached, missed }: Outcome<ConnectionName>,
  { onFault, onMissed }: Reporter,
): void {
  const users = new Set(missed.map(({ to }) => to.userID));
  const isFault = reached.length === 0 && (users.size > 1 || missed.some(({ error }) => !isRefusal(error)));
  const report = isFault ? onFault : onMissed;
  const byName = Map.groupBy(missed, ({ error }) => (error instanceof Error ? error.name : typeof error));
  for (const [{ error }, ...others] of byName.values() as Iterable<[{ error: unknown }]>)
    report(error, { connections: 1 + others.length });
}

/**
 * Removes the records of closed connections.
 *
 * @param onFault receives the error of each removal that failed. The next message to the connection tries again.
 */
export async function forgetConnections(
  table: Table,
  closed: readonly ConnectionName[],
  { onFault }: Pick<Reporter, "onFault">,
): Promise<void> {
  await forEachConcurrently(closed, { concurrency }, async (name) => {
    await closeConnection(table, name).catch(onFault);
  });
}

/**
 * Closes the connections of clients that have stopped reading. The clients get the current state when they reconnect.
 */
export async function hangUpOn(
  pusher: Pusher,
  stuck: readonly ConnectionName[],
  { onFault }: Pick<Reporter, "onFault">,
): Promise<void> {
  await forEachConcurrently(stuck, { concurrency }, ({ connectionId }) =>
    hangUp(pusher, connectionId).catch(onFault),
  );
}
