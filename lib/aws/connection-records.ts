import { DeleteCommand, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { Channel } from "../domain/channel.ts";
import { entering, leaveChannels, leaving } from "./subscriber-records.ts";
import { queryRange, type Table } from "./table.ts";
import { connectionKey, connectionsOf } from "./table-keys.ts";
import { transact, type Writes } from "./transaction.ts";

/** Which connection of which user. */
export type ConnectionName = { userID: string; connectionID: string };

/** A WebSocket connection as kept while it is open. */
export type Connection = ConnectionName & {
  /** The shard of every public channel in which it stands, chosen when it connected. */
  shard: number;
  connectedAt: string;
  /** Absent when there are none: DynamoDB knows no empty set. */
  channels?: Set<Channel>;
  /** When the record goes by itself, in seconds since the epoch. */
  expiresAt: number;
};

/** API Gateway ends a connection after two hours; a record outlives its connection by ten minutes at most. */
const lifetime = (2 * 60 + 10) * 60;

export async function openConnection(
  table: Table,
  name: ConnectionName,
  { shard, now }: { shard: number; now: Date },
): Promise<void> {
  const connection: Connection = {
    ...name,
    shard,
    connectedAt: now.toISOString(),
    expiresAt: Math.floor(now.getTime() / 1000) + lifetime,
  };
  await table.client.send(new PutCommand({ TableName: table.name, Item: { ...keyOf(name), ...connection } }));
}

/** Forgets a connection and its subscriptions. One that is unknown is forgotten already. */
export async function closeConnection(table: Table, name: ConnectionName): Promise<void> {
  const { Attributes } = await table.client.send(
    new DeleteCommand({ TableName: table.name, Key: keyOf(name), ReturnValues: "ALL_OLD" }),
  );
  const connection = Attributes as Connection | undefined;
  if (connection !== undefined) await leaveChannels(table, connection, [...(connection.channels ?? [])]);
}

/**
 * Subscribes a connection to channels; those it has already stay.
 *
 * @returns the channels it had before; undefined, and nothing changes, when there is no such connection.
 */
export async function addChannels(
  table: Table,
  name: ConnectionName,
  channels: readonly Channel[],
): Promise<Channel[] | undefined> {
  return changeChannels(table, name, (connection, before) => {
    const added = [...new Set(channels)].filter((channel) => !before.has(channel));
    return { action: "ADD", changed: added, others: entering(table, connection, added) };
  });
}

/**
 * Ends subscriptions of a connection; what it does not have is not missed.
 *
 * @returns the channels it had before; undefined, and nothing changes, when there is no such connection.
 */
export async function removeChannels(
  table: Table,
  name: ConnectionName,
  channels: readonly Channel[],
): Promise<Channel[] | undefined> {
  return changeChannels(table, name, (connection, before) => {
    const removed = [...before].filter((channel) => channels.includes(channel));
    return { action: "DELETE", changed: removed, others: leaving(table, connection, removed) };
  });
}

/** The user's open connections. */
export async function connectionsOfUser(table: Table, userID: string): Promise<Connection[]> {
  return queryRange<Connection>(table, connectionsOf(userID));
}

const keyOf = ({ userID, connectionID }: ConnectionName) => connectionKey(userID, connectionID);

/** Which channels are added to a connection's, or deleted from them, and the writes to other items that go with it. */
type Change = { action: "ADD" | "DELETE"; changed: readonly Channel[]; others: Writes };

/**
 * Changes the connection and its places among subscribers together. The messages of a connection are worked on at the same
 * time, in any order; each of these changes is made to what the one before has left, and none to a connection that ends.
 */
async function changeChannels(
  table: Table,
  name: ConnectionName,
  change: (connection: Connection, before: ReadonlySet<Channel>) => Change,
): Promise<Channel[] | undefined> {
  for (;;) {
    const connection = await readConnection(table, name);
    if (connection === undefined) return undefined;
    const before = connection.channels ?? new Set();
    const { action, changed, others } = change(connection, before);
    if (changed.length === 0) return [...before];
    const had = before.size > 0;
    const write = {
      TableName: table.name,
      Key: keyOf(name),
      UpdateExpression: `${action} channels :changed`,
      ConditionExpression: had
        ? "channels = :before"
        : "attribute_exists(PK) AND attribute_not_exists(channels)",
      ExpressionAttributeValues: { ":changed": new Set(changed), ...(had && { ":before": before }) },
    };
    // Somebody else's change that came between is the only reason to be stopped, so one of them always gets through.
    if ((await transact(table, [{ Update: write }, ...others])) === undefined) return [...before];
  }
}

async function readConnection(table: Table, name: ConnectionName): Promise<Connection | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: keyOf(name), ConsistentRead: true }),
  );
  return Item as Connection | undefined;
}
