import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { type Channel, isPublic, type PublicChannel } from "../core/channel.ts";
import { epochSeconds } from "../core/time.ts";
import { queryPages, queryRange, type Table } from "../table/table.ts";
import {
  connectionCountKey,
  connectionKey,
  connectionsOf,
  subscriberKey,
  subscribersOf,
} from "../table/table-keys.ts";
import { afterConflicts, transact, type Writes, writeIf } from "../table/writes.ts";

/** Identifies a connection. */
export type ConnectionName = { userID: string; connectionId: string };

/** An open WebSocket connection. */
export type Connection = ConnectionName & {
  /** Its shard among the subscribers of every public channel, chosen when it connected. */
  shard: number;
  connectedAt: string;
  /** Absent if there are none, since DynamoDB has no empty set. */
  channels?: Set<Channel>;
  /** Since when it takes no messages of its user. Absent if it is up to date. */
  stuckSince?: string;
  /** How often it has missed messages since a run began to bring it up to date; 0 if none does. */
  misses?: number;
  /** When DynamoDB may delete the record, in seconds since the epoch. */
  expiresAt: number;
};

/** API Gateway closes a connection after two hours. Its record expires ten minutes later. */
const lifetimeSeconds = (2 * 60 + 10) * 60;

const endOfLife = (now: Date) => epochSeconds(now) + lifetimeSeconds;

export async function openConnection(
  table: Table,
  name: ConnectionName,
  { shard, now }: { shard: number; now: Date },
): Promise<void> {
  const connection: Connection = {
    ...name,
    shard,
    connectedAt: now.toISOString(),
    expiresAt: endOfLife(now),
  };
  await table.client.send(new PutCommand({ TableName: table.name, Item: { ...keyOf(name), ...connection } }));
}

/** The connections that count towards a user's limit. Some of them may have ended. */
type ConnectionCount = {
  connectionIds?: Set<string>;
  /** If the user may open none. */
  isClosed?: true;
  expiresAt: number;
};

/** `full`: the counted connections are as many as the limit. `closed`: the user may open none. */
export type Counted =
  | { is: "counted" }
  | { is: "closed" }
  | { is: "full"; connectionIds: ReadonlySet<string> };

/** Counts a connection towards its user's limit, once. If it is `full` or `closed`, nothing was written. */
export async function countConnection(
  table: Table,
  { userID, connectionId }: ConnectionName,
  { limit, now }: { limit: number; now: Date },
): Promise<Counted> {
  try {
    await table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: connectionCountKey(userID),
        UpdateExpression: "ADD connectionIds :ids SET expiresAt = :expiresAt",
        // The SDK may send a write again whose answer was lost: then the connection is counted already.
        ConditionExpression:
          "attribute_not_exists(isClosed) AND " +
          "(attribute_not_exists(connectionIds) OR size(connectionIds) < :limit OR contains(connectionIds, :id))",
        ExpressionAttributeValues: {
          ":ids": new Set([connectionId]),
          ":id": connectionId,
          ":limit": limit,
          ":expiresAt": endOfLife(now),
        },
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      }),
    );
    return { is: "counted" };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const { isClosed, connectionIds = new Set() } = unmarshall(error.Item ?? {}) as Partial<ConnectionCount>;
    return isClosed ? { is: "closed" } : { is: "full", connectionIds };
  }
}

/**
 * Keeps a user from opening connections, for at least two hours. This is for those whom the authorizer lets in because it
 * does not know yet that they are blocked.
 */
export async function refuseConnections(table: Table, userID: string, now: Date): Promise<void> {
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: connectionCountKey(userID),
      UpdateExpression: "SET isClosed = :true, expiresAt = :expiresAt",
      ExpressionAttributeValues: { ":true": true, ":expiresAt": endOfLife(now) },
    }),
  );
}

/** Undoes {@link refuseConnections}. */
export async function acceptConnections(table: Table, userID: string): Promise<void> {
  await writeIf(
    table,
    new UpdateCommand({
      TableName: table.name,
      Key: connectionCountKey(userID),
      UpdateExpression: "REMOVE isClosed",
      ConditionExpression: "attribute_exists(PK)",
    }),
  );
}

/** Stops counting connections that have ended. */
export async function discountConnections(
  table: Table,
  userID: string,
  ended: readonly string[],
): Promise<void> {
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: connectionCountKey(userID),
      UpdateExpression: "DELETE connectionIds :ended",
      ExpressionAttributeValues: { ":ended": new Set(ended) },
    }),
  );
}

/** The longest that a handshake takes. Until it ends, API Gateway does not know a connection that is on record. */
const handshakeMs = 30_000;

export const hasShakenHands = ({ connectedAt }: Pick<Connection, "connectedAt">, now: Date): boolean =>
  now.getTime() - Date.parse(connectedAt) > handshakeMs;

/** Deletes a connection and its subscriptions. Returns false, and does nothing, for an unknown one. */
export async function closeConnection(table: Table, name: ConnectionName): Promise<boolean> {
  const { Attributes } = await afterConflicts(() =>
    table.client.send(
      new DeleteCommand({ TableName: table.name, Key: keyOf(name), ReturnValues: "ALL_OLD" }),
    ),
  );
  const connection = Attributes as Connection | undefined;
  if (connection === undefined) return false;
  await leaveChannels(table, connection, [...(connection.channels ?? [])]);
  return true;
}

/**
 * Adds channels to those of a connection.
 *
 * @returns the channels that it had before, or undefined for an unknown connection.
 */
export async function addChannels(
  table: Table,
  name: ConnectionName,
  channels: readonly Channel[],
): Promise<Channel[] | undefined> {
  return changeChannels(table, name, (connection, before) => {
    const added = [...new Set(channels)].filter((channel) => !before.has(channel));
    return { action: "ADD", changed: added, others: subscribing(table, connection, added) };
  });
}

/**
 * Removes channels from those of a connection. Ignores channels that it does not have.
 *
 * @returns the channels that it had before, or undefined for an unknown connection.
 */
export async function removeChannels(
  table: Table,
  name: ConnectionName,
  channels: readonly Channel[],
): Promise<Channel[] | undefined> {
  return changeChannels(table, name, (connection, before) => {
    const removed = [...before].filter((channel) => channels.includes(channel));
    return { action: "DELETE", changed: removed, others: unsubscribing(table, connection, removed) };
  });
}

export async function connectionsOfUser(table: Table, userID: string): Promise<Connection[]> {
  return queryRange<Connection>(table, connectionsOf(userID));
}

const keyOf = ({ userID, connectionId }: ConnectionName) => connectionKey(userID, connectionId);

/** The channels to add to a connection or to delete from it, and the writes to other items that belong to it. */
type ChannelChange = { action: "ADD" | "DELETE"; changed: readonly Channel[]; others: Writes };

/**
 * Changes a connection and its places among the subscribers in one transaction. Messages of a connection are handled
 * concurrently, so each change applies to the state that the one before left, and none to a closed connection.
 */
async function changeChannels(
  table: Table,
  name: ConnectionName,
  change: (connection: Connection, before: ReadonlySet<Channel>) => ChannelChange,
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
    // This fails only after a concurrent change, so one of several concurrent changes always succeeds.
    if (await transact(table, [{ Update: write }, ...others])) return [...before];
  }
}

async function readConnection(table: Table, name: ConnectionName): Promise<Connection | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: keyOf(name), ConsistentRead: true }),
  );
  return Item as Connection | undefined;
}

type Place = Pick<Connection, "connectionId" | "shard">;

/**
 * The writes that add a connection to the subscribers of the public channels in a list. Subscribers of private channels
 * need no such items: they are found among their user's connections.
 */
function subscribing(table: Table, connection: Connection, channels: readonly Channel[]): Writes {
  const { userID, connectionId, expiresAt } = connection;
  return placesOf(connection, channels).map((key) => {
    return { Put: { TableName: table.name, Item: { ...key, userID, connectionId, expiresAt } } };
  });
}

/** The writes that remove a connection from the subscribers of the public channels in a list. */
function unsubscribing(table: Table, place: Place, channels: readonly Channel[]): Writes {
  return placesOf(place, channels).map((Key) => ({ Delete: { TableName: table.name, Key } }));
}

/** Removes a connection from the subscribers of the public channels in a list. */
export async function leaveChannels(table: Table, place: Place, channels: readonly Channel[]): Promise<void> {
  for (const Key of placesOf(place, channels))
    await afterConflicts(() => table.client.send(new DeleteCommand({ TableName: table.name, Key })));
}

/** A subscriber of a public channel. */
export type ChannelSubscriber = ConnectionName & {
  /** Since when it takes no message. Absent if it took the last one. */
  stuckSince?: string;
};

/** The subscribers in one shard of a channel, page by page. */
export async function* subscribersInShard(
  table: Table,
  channel: PublicChannel,
  shard: number,
): AsyncGenerator<ChannelSubscriber> {
  const attributes = ["userID", "connectionId", "stuckSince"];
  const pages = queryPages<ChannelSubscriber>(table, subscribersOf(channel, shard), { attributes });
  for await (const page of pages) yield* page;
}

const placesOf = ({ connectionId, shard }: Place, channels: readonly Channel[]) =>
  channels.filter(isPublic).map((channel) => subscriberKey(channel, shard, connectionId));
