import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { type Channel, isPublic, type PublicChannel } from "../core/channel.ts";
import { epochSeconds } from "../core/time.ts";
import { retry } from "../table/retry.ts";
import { containing, type Step, smallerThan } from "../table/step.ts";
import { queryPages, queryRange, type Table } from "../table/table.ts";
import { write, writeOne } from "../table/write.ts";
import {
  connectionCountKey,
  connectionKey,
  connectionsOf,
  subscriberKey,
  subscribersOf,
} from "./item-keys.ts";

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
  await write(table, { kind: "put", key: keyOf(name), item: connection });
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
  const { isWritten, item } = await writeOne<Partial<ConnectionCount>>(table, {
    kind: "change",
    key: connectionCountKey(userID),
    set: { expiresAt: endOfLife(now) },
    add: { connectionIds: new Set([connectionId]) },
    when: [
      "absent",
      { isClosed: undefined, connectionIds: undefined },
      { isClosed: undefined, connectionIds: smallerThan(limit) },
      // The SDK may send a write again whose answer was lost: then the connection is counted already.
      { isClosed: undefined, connectionIds: containing(connectionId) },
    ],
  });
  if (isWritten) return { is: "counted" };
  return item?.isClosed ? { is: "closed" } : { is: "full", connectionIds: item?.connectionIds ?? new Set() };
}

/**
 * Keeps a user from opening connections, for at least two hours. This is for those whom the authorizer lets in because it
 * does not know yet that they are blocked.
 */
export async function refuseConnections(table: Table, userID: string, now: Date): Promise<void> {
  await write(table, {
    kind: "change",
    key: connectionCountKey(userID),
    set: { isClosed: true, expiresAt: endOfLife(now) },
  });
}

/** Undoes {@link refuseConnections}. */
export async function acceptConnections(table: Table, userID: string): Promise<void> {
  await write(table, {
    kind: "change",
    key: connectionCountKey(userID),
    set: { isClosed: undefined },
    when: "present",
  });
}

/** Stops counting connections that have ended. */
export async function discountConnections(
  table: Table,
  userID: string,
  ended: readonly string[],
): Promise<void> {
  await write(table, {
    kind: "change",
    key: connectionCountKey(userID),
    take: { connectionIds: new Set(ended) },
  });
}

/** The longest that a handshake takes. Until it ends, API Gateway does not know a connection that is on record. */
const handshakeMs = 30_000;

export const hasShakenHands = ({ connectedAt }: Pick<Connection, "connectedAt">, now: Date): boolean =>
  now.getTime() - Date.parse(connectedAt) > handshakeMs;

/** Deletes a connection and its subscriptions. Returns false, and does nothing, for an unknown one. */
export async function closeConnection(table: Table, name: ConnectionName): Promise<boolean> {
  const { item } = await writeOne<Connection>(table, { kind: "remove", key: keyOf(name) });
  if (item === undefined) return false;
  await leaveChannels(table, item, [...(item.channels ?? [])]);
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
    return { action: "add", changed: added, others: subscribing(connection, added) };
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
    return { action: "take", changed: removed, others: unsubscribing(connection, removed) };
  });
}

export async function connectionsOfUser(table: Table, userID: string): Promise<Connection[]> {
  return queryRange<Connection>(table, connectionsOf(userID));
}

const keyOf = ({ userID, connectionId }: ConnectionName) => connectionKey(userID, connectionId);

/** The channels to add to a connection or to delete from it, and the writes to other items that belong to it. */
type ChannelChange = { action: "add" | "take"; changed: readonly Channel[]; others: Step };

/**
 * Changes a connection and its places among the subscribers in one transaction. Messages of a connection are handled
 * concurrently, so each change applies to the state that the one before left, and none to a closed connection.
 */
async function changeChannels(
  table: Table,
  name: ConnectionName,
  change: (connection: Connection, before: ReadonlySet<Channel>) => ChannelChange,
): Promise<Channel[] | undefined> {
  const found = await retry(
    async () => {
      const connection = await readConnection(table, name);
      if (connection === undefined) return "unknown";
      const before = connection.channels ?? new Set<Channel>();
      const { action, changed, others } = change(connection, before);
      if (changed.length === 0) return [...before];
      const isWritten = await write(table, [
        {
          kind: "change",
          key: keyOf(name),
          [action]: { channels: new Set(changed) },
          when: { channels: connection.channels },
        },
        ...others,
      ]);
      return isWritten ? [...before] : undefined;
    },
    // This fails only after a concurrent change, so one of several concurrent changes always succeeds.
    { attempts: Number.POSITIVE_INFINITY },
  );
  return found === "unknown" ? undefined : found;
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
function subscribing(connection: Connection, channels: readonly Channel[]): Step {
  const { userID, connectionId, expiresAt } = connection;
  return placesOf(connection, channels).map((key) => ({
    kind: "put",
    key,
    item: { userID, connectionId, expiresAt },
  }));
}

/** The writes that remove a connection from the subscribers of the public channels in a list. */
const unsubscribing = (place: Place, channels: readonly Channel[]) =>
  placesOf(place, channels).map((key) => ({ kind: "remove", key }) as const);

/** Removes a connection from the subscribers of the public channels in a list. */
export async function leaveChannels(table: Table, place: Place, channels: readonly Channel[]): Promise<void> {
  for (const removal of unsubscribing(place, channels)) await write(table, removal);
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
