import { type Channel, isPublic, type PublicChannel } from "../core/channel.ts";
import { epochSeconds } from "../core/time.ts";
import { retry } from "../table/retry.ts";
import { containing, type Step, smallerThan } from "../table/step.ts";
import { queryPages, queryRange, readItem, type Table } from "../table/table.ts";
import { singleOf, write, writeOne } from "../table/write.ts";
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
  /** Absent if there are no channels, because DynamoDB has no empty set. */
  channels?: Set<Channel>;
  /** The time from which it accepts no messages of its user. Absent if it is up to date. */
  stuckSince?: string;
  /** The number of misses since a run began to bring it up to date; 0 if none does. */
  misses?: number;
  /** The time when DynamoDB may delete the record, in epoch seconds. */
  expiresAt: number;
};

/** API Gateway closes a connection after two hours. Its record expires ten minutes later. */
export const lifetimeSeconds = (2 * 60 + 10) * 60;

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
  /** True if the user may open no connections. */
  isClosed?: true;
  expiresAt: number;
};

/** `full`: the user has reached the limit. `closed`: the user may open no connections. */
export type Counted =
  | { is: "counted" }
  | { is: "closed" }
  | { is: "full"; connectionIds: ReadonlySet<string> };

/** Counts a connection towards its user's limit, once. Writes nothing if the result is `full` or `closed`. */
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
      // The SDK repeats a write whose answer was lost. The connection is counted already then.
      { isClosed: undefined, connectionIds: containing(connectionId) },
    ],
  });
  if (isWritten) return { is: "counted" };
  return item?.isClosed ? { is: "closed" } : { is: "full", connectionIds: item?.connectionIds ?? new Set() };
}

/**
 * Keeps a user from opening connections for at least two hours. Authorizers may still admit a user whom they do not
 * know to be blocked.
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

/** The maximum duration of a handshake. Until it ends, API Gateway does not know the recorded connection. */
const handshakeMs = 30_000;

export const hasShakenHands = ({ connectedAt }: Pick<Connection, "connectedAt">, now: Date): boolean =>
  now.getTime() - Date.parse(connectedAt) > handshakeMs;

/** Deletes a connection and its subscriptions. Returns false for an unknown connection. */
export async function closeConnection(table: Table, name: ConnectionName): Promise<boolean> {
  const { item } = await writeOne<Connection>(table, { kind: "remove", key: keyOf(name) });
  if (item === undefined) return false;
  await leaveChannels(table, item, [...(item.channels ?? [])]);
  return true;
}

/**
 * Subscribes a connection to channels.
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
 * Unsubscribes a connection from channels. Ignores channels to which it is not subscribed.
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

/** The channels to add to a connection or to take from it, with the writes of its places among the subscribers. */
type ChannelChange = { action: "add" | "take"; changed: readonly Channel[]; others: Step };

/**
 * Changes a connection and its places among the subscribers in one transaction. A connection's messages are handled
 * concurrently, so each change applies to the state that the previous one left, and none to a closed connection.
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
      const step: Step = [
        {
          kind: "change",
          key: keyOf(name),
          [action]: { channels: new Set(changed) },
          when: { channels: connection.channels },
        },
        ...others,
      ];
      const isWritten = await write(table, singleOf(step));
      return isWritten ? [...before] : undefined;
    },
    // An attempt fails only after a concurrent change, so one of several concurrent changes always succeeds.
    { attempts: Number.POSITIVE_INFINITY },
  );
  return found === "unknown" ? undefined : found;
}

async function readConnection(table: Table, name: ConnectionName): Promise<Connection | undefined> {
  return readItem<Connection>(table, keyOf(name));
}

type Place = Pick<Connection, "connectionId" | "shard">;

/**
 * Builds the writes that add a connection to the subscribers of public channels. Private channels need none, because
 * their subscribers are found among the user's connections.
 */
function subscribing(connection: Connection, channels: readonly Channel[]): Step {
  const { userID, connectionId, expiresAt } = connection;
  return placesOf(connection, channels).map((key) => ({
    kind: "put",
    key,
    item: { userID, connectionId, expiresAt },
  }));
}

/** Builds the writes that remove a connection from the subscribers of public channels. */
const unsubscribing = (place: Place, channels: readonly Channel[]) =>
  placesOf(place, channels).map((key) => ({ kind: "remove", key }) as const);

/** Removes a connection from the subscribers of public channels. */
export async function leaveChannels(table: Table, place: Place, channels: readonly Channel[]): Promise<void> {
  for (const removal of unsubscribing(place, channels)) await write(table, removal);
}

/** A subscriber of a public channel. */
export type ChannelSubscriber = ConnectionName & {
  /** The time from which it accepts no messages. Absent if it accepted the last one. */
  stuckSince?: string;
};

/** Reads the subscribers in one shard of a channel, page by page. */
export async function* subscribersInShard(
  table: Table,
  channel: PublicChannel,
  shard: number,
): AsyncGenerator<ChannelSubscriber> {
  const attributes = ["userID", "connectionId", "stuckSince"];
  const pages = queryPages<ChannelSubscriber>(table, subscribersOf(channel, shard), { attributes });
  for await (const page of pages) yield* page;
}

/** True if anybody subscribes to a channel. */
export async function hasSubscribers(table: Table, channel: PublicChannel, shards: number): Promise<boolean> {
  const found = await Promise.all(
    Array.from({ length: shards }, (_, shard) =>
      queryRange(table, subscribersOf(channel, shard), { limit: 1, attributes: ["PK"] }),
    ),
  );
  return found.some((subscribers) => subscribers.length > 0);
}

const placesOf = ({ connectionId, shard }: Place, channels: readonly Channel[]) =>
  channels.filter(isPublic).map((channel) => subscriberKey(channel, shard, connectionId));
