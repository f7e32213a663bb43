import { setTimeout as pause } from "node:timers/promises";
import { hangUp, type Pusher } from "../aws/push.ts";
import { forEachConcurrently } from "../core/concurrency.ts";
import type { Table } from "../table/table.ts";
import { type Connection, closeConnection, connectionsOfUser, hasShakenHands } from "./connection-records.ts";

export type DisconnectDeps = {
  table: Table;
  pusher: Pusher;
  now: () => Date;
  pauseMs?: (ms: number) => Promise<unknown>;
};

export type Disconnected = { ended: number; failed: number };

const concurrency = 8;

/**
 * Pause before trying again to close a connection that is still in its handshake. API Gateway cannot close it until the
 * handshake ends.
 */
const handshakePauseMs = 5000;

/** Closes all current connections of a user. Waits up to half a minute for connections that are still being opened. */
export async function disconnectUser(
  { table, pusher, now, pauseMs = pause }: DisconnectDeps,
  userID: string,
): Promise<Disconnected> {
  const outcome: Disconnected = { ended: 0, failed: 0 };
  let left = await connectionsOfUser(table, userID);
  for (;;) {
    const at = now();
    const opening: Connection[] = [];
    await forEachConcurrently(left, { concurrency }, async (connection) => {
      try {
        const wasOpen = await hangUp(pusher, connection.connectionId);
        if (!wasOpen && !hasShakenHands(connection, at)) opening.push(connection);
        else {
          await closeConnection(table, connection);
          outcome.ended++;
        }
      } catch {
        outcome.failed++;
      }
    });
    if (opening.length === 0) return outcome;
    await pauseMs(handshakePauseMs);
    left = opening;
  }
}
