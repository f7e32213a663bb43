import { isInForce } from "../orders/program-key.ts";
import type { Table } from "../table/table.ts";
import { readProgramKey } from "../trading/items/program-key-records.ts";
import {
  type Connection,
  type ConnectionName,
  closeConnection,
  connectionsOfUser,
  countConnection,
  discountConnections,
  hasShakenHands,
  type NewConnection,
  openConnection,
} from "./connection-records.ts";

export type ConnectDeps = {
  table: Table;
  /** Maximum number of connections of a user. Each change is pushed to all of them, while other users wait. */
  limit: number;
  /** Asks API Gateway whether a connection is still open. */
  isConnected: (connectionId: string) => Promise<boolean>;
  /**
   * Receives the error if API Gateway does not report whether a connection is open. The connection then counts as open.
   */
  onFault: (error: unknown) => void;
};

export type Admission = "admitted" | "too many" | "blocked" | "revoked";

/** Maximum number of attempts to make room. Concurrent handshakes of the same user may take the room first. */
const maxAttempts = 3;

/** Number of connections that a refused handshake checks. A small number keeps repeated handshakes cheap. */
const sampleSize = 3;

/**
 * Records a new connection if its user may have another one. Counts it by a single conditional write, so concurrent
 * handshakes cannot exceed the limit. Connections that end are not subtracted at once: only when the limit is reached
 * are they found and subtracted.
 *
 * @returns `admitted`, or a reason for the refusal. After a refusal, no record is left.
 */
export async function admitConnection(
  deps: ConnectDeps,
  name: ConnectionName,
  { shard, program, now }: NewConnection,
): Promise<Admission> {
  const { table, limit } = deps;
  // Records the connection before counting it, so that a counted connection without a record has certainly ended.
  await openConnection(table, name, { shard, program, now });
  // Reads the key after that, because publishChanges closes the connections that are recorded when a key is revoked.
  const key = program && (await readProgramKey(table, { userID: name.userID, keyId: program.keyId }));
  if (program && !isInForce(key, now.getTime())) return refuse(table, name, "revoked");
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const counted = await countConnection(table, name, { limit, now });
    if (counted.is === "counted") return "admitted";
    if (counted.is === "closed") return refuse(table, name, "blocked");
    const ended = await endedAmong(deps, name.userID, counted.connectionIds, now);
    if (ended.length === 0) break;
    await discountConnections(table, name.userID, ended);
  }
  return refuse(table, name, "too many");
}

async function refuse(table: Table, name: ConnectionName, reason: Admission): Promise<Admission> {
  await closeConnection(table, name);
  return reason;
}

/**
 * Finds counted connections that have ended, which are those without a record. If all have a record, checks a sample
 * with API Gateway.
 */
async function endedAmong(
  { table, isConnected, onFault }: ConnectDeps,
  userID: string,
  counted: ReadonlySet<string>,
  now: Date,
): Promise<string[]> {
  const known = await connectionsOfUser(table, userID);
  // Ignores expired records, which DynamoDB may take days to delete.
  const live = known.filter(({ expiresAt }) => expiresAt * 1000 > now.getTime());
  const recorded = new Set(live.map(({ connectionId }) => connectionId));
  const ended = [...counted].filter((connectionId) => !recorded.has(connectionId));
  if (ended.length > 0) return ended;

  const lost: string[] = [];
  const asked = sampleOf(live.filter((connection) => hasShakenHands(connection, now)));
  await Promise.all(
    asked.map(async (connection) => {
      try {
        if (await isConnected(connection.connectionId)) return;
        await closeConnection(table, connection);
        lost.push(connection.connectionId);
      } catch (error) {
        onFault(error);
      }
    }),
  );
  return lost;
}

/** Checks a few connections at random. Later handshakes check others. */
function sampleOf(connections: readonly Connection[]): Connection[] {
  const shuffled = connections.map((connection) => ({ connection, place: Math.random() }));
  return shuffled
    .toSorted((a, b) => a.place - b.place)
    .slice(0, sampleSize)
    .map(({ connection }) => connection);
}
