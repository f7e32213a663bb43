import { isDeepStrictEqual } from "node:util";
import type { Channel } from "../core/channel.ts";
import { epochSeconds } from "../core/time.ts";
import { isDeviceCount } from "../devices/item-keys.ts";
import type { TokenName } from "../markets/core/market.ts";
import {
  type FollowedToken,
  type MarketSubscription,
  type Pace,
  unfollowing,
} from "../markets/core/market-subscription.ts";
import type { Follower } from "../markets/demand.ts";
import type { KeyRange } from "../table/keys.ts";
import { retry } from "../table/retry.ts";
import { containing, type Step, smallerThan, type Write } from "../table/step.ts";
import { type Item, queryPages, queryRange, readItem, type Table } from "../table/table.ts";
import { singleOf, write, writeOne } from "../table/write.ts";
import {
  type Audience,
  connectionCountKey,
  connectionKey,
  connectionsOf,
  isConnection,
  receiversOf,
  subscriberKey,
  subscribersOf,
} from "./item-keys.ts";

/** Identifies a connection. */
export type ConnectionName = { userID: string; connectionId: string };

/** An open WebSocket connection. */
export type Connection = ConnectionName & {
  /** Shard of the connection in each audience, chosen when the connection was opened. */
  shard: number;
  connectedAt: string;
  /** Channels that the connection subscribes to. Absent if there are none, because DynamoDB has no empty set. */
  channels?: Set<Channel>;
  /** Pace and followed tokens of the connection. Absent if readMarkets does not serve the connection. */
  every?: Pace;
  tokens?: FollowedToken[];
  /** Time at which the connection stopped accepting its user's messages. Absent if the connection is up to date. */
  stuckSince?: string;
  /** Number of messages missed since a run began to bring the connection up to date. 0 if there is no such run. */
  misses?: number;
  /** Id of the program key that opened the connection. Absent if its user did. */
  keyId?: string;
  /** Time when that key ends. */
  keyEndsAt?: string;
  /** Time when DynamoDB may delete the record, in epoch seconds. */
  expiresAt: number;
};

/** The key of a program that opens a connection, and the time when the key ends. */
export type ConnectedProgram = { keyId: string; endsAt: string };

export type NewConnection = { shard: number; program?: ConnectedProgram | undefined; now: Date };

/** True if a connection's key has ended. Such a connection is not served, and the next push to it closes it instead. */
export const hasEndedKey = ({ keyEndsAt }: Pick<Connection, "keyEndsAt">, now: Date): boolean =>
  keyEndsAt !== undefined && Date.parse(keyEndsAt) <= now.getTime();

/**
 * Lifetime of a connection's record: ten minutes more than the two hours after which API Gateway closes a connection.
 */
export const lifetimeSeconds = (2 * 60 + 10) * 60;

const endOfLife = (now: Date) => epochSeconds(now) + lifetimeSeconds;

export async function openConnection(
  table: Table,
  name: ConnectionName,
  { shard, program, now }: NewConnection,
): Promise<void> {
  const connection: Connection = {
    ...name,
    shard,
    connectedAt: now.toISOString(),
    ...(program && { keyId: program.keyId, keyEndsAt: program.endsAt }),
    expiresAt: endOfLife(now),
  };
  await write(table, { kind: "put", key: keyOf(name), item: connection });
}

/** Connections that count towards a user's limit. Some of them may have ended. */
type ConnectionCount = {
  connectionIds?: Set<string>;
  /** True if the user may open no connections. */
  isClosed?: true;
  expiresAt: number;
};

/**
 * Reason for refusing a connection. `full`: the user has reached the limit. `closed`: the user may open no connections.
 */
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
      // Accepts a connection that is already counted, because the SDK repeats a write whose answer was lost.
      { isClosed: undefined, connectionIds: containing(connectionId) },
    ],
  });
  if (isWritten) return { is: "counted" };
  return item?.isClosed ? { is: "closed" } : { is: "full", connectionIds: item?.connectionIds ?? new Set() };
}

/**
 * Keeps a user from opening connections for at least two hours, because authorizers may learn late that the user is
 * blocked.
 */
export async function refuseConnections(table: Table, userID: string, now: Date): Promise<void> {
  await write(table, {
    kind: "change",
    key: connectionCountKey(userID),
    set: { isClosed: true, expiresAt: endOfLife(now) },
  });
}

/** Lets a user open connections again after {@link refuseConnections}. */
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

/**
 * Maximum duration of a handshake. Until the handshake ends, API Gateway does not know the connection that is already
 * recorded.
 */
const handshakeMs = 30_000;

export const hasShakenHands = ({ connectedAt }: Pick<Connection, "connectedAt">, now: Date): boolean =>
  now.getTime() - Date.parse(connectedAt) > handshakeMs;

/** Deletes a connection and its subscriptions. Returns false if the connection is unknown. */
export async function closeConnection(table: Table, name: ConnectionName): Promise<boolean> {
  const { item } = await writeOne<Connection>(table, { kind: "remove", key: keyOf(name) });
  if (item === undefined) return false;
  const audience = audienceOf(subscriptionsOf(item));
  if (audience !== undefined) await leaveAudience(table, audience, item);
  return true;
}

/** Subscriptions of a connection. Subscriptions to markets are part of the channel `prices`. */
export type Subscriptions = { channels: readonly Channel[]; markets?: MarketSubscription | undefined };

type Changed = { before: Subscriptions; after: Subscriptions; shard: number };

/** The connection that sent a message, and the time of the message. */
type SenderName = ConnectionName & { now?: Date };

/**
 * Subscribes a connection to channels and tokens.
 *
 * @param follow changes the tokens. It may be called several times.
 * @returns undefined if the connection is unknown or over.
 */
export async function addChannels(
  table: Table,
  name: SenderName,
  channels: readonly Channel[],
  follow: (before: MarketSubscription | undefined) => MarketSubscription | undefined = (before) => before,
): Promise<Changed | undefined> {
  return changeSubscriptions(table, name, ({ channels: known, markets }) => ({
    channels: [...new Set([...known, ...channels])],
    markets: follow(markets),
  }));
}

/**
 * Unsubscribes a connection from channels and tokens. Ignores channels and tokens that it is not subscribed to.
 *
 * @returns undefined if the connection is unknown or over.
 */
export async function removeChannels(
  table: Table,
  name: SenderName,
  channels: readonly Channel[],
  tokens: readonly TokenName[] = [],
): Promise<Changed | undefined> {
  return changeSubscriptions(table, name, ({ channels: known, markets }) => ({
    channels: known.filter((channel) => !channels.includes(channel)),
    markets: channels.includes("prices") ? undefined : withoutTokens(markets, tokens),
  }));
}

const withoutTokens = (markets: MarketSubscription | undefined, tokens: readonly TokenName[]) =>
  tokens.length === 0 ? markets : markets && { ...markets, tokens: unfollowing(markets.tokens, tokens) };

export async function connectionsOfUser(table: Table, userID: string): Promise<Connection[]> {
  return queryRange<Connection>(table, connectionsOf(userID));
}

/** Receivers of a user's messages and notices. */
export type Receivers = {
  connections: readonly Connection[];
  /** True if the user has a device, or had one that is gone. */
  hasDevice: boolean;
};

export async function receiversOfUser(table: Table, userID: string): Promise<Receivers> {
  const items = await queryRange<object>(table, receiversOf(userID));
  return {
    connections: items.filter(isConnection) as Item<Connection>[],
    hasDevice: items.some((item) => isDeviceCount(item) && "deviceIds" in item),
  };
}

const keyOf = ({ userID, connectionId }: ConnectionName) => connectionKey(userID, connectionId);

/**
 * Changes a connection and its entry in an audience in one transaction. Messages of a connection are handled
 * concurrently, so each change builds on the state after the previous one. A closed connection is never changed.
 */
async function changeSubscriptions(
  table: Table,
  name: SenderName,
  change: (before: Subscriptions) => Subscriptions,
): Promise<Changed | undefined> {
  const found = await retry(
    async () => {
      const connection = await readItem<Connection>(table, keyOf(name));
      if (connection === undefined || (name.now && hasEndedKey(connection, name.now))) return "unknown";
      const before = subscriptionsOf(connection);
      const after = change(before);
      const changed = { before, after, shard: connection.shard };
      const step = changing(connection, changed);
      return step.length === 0 || (await write(table, singleOf(step))) ? changed : undefined;
    },
    // Retries without limit, because an attempt fails only if another change has succeeded.
    { attempts: Number.POSITIVE_INFINITY },
  );
  return found === "unknown" ? undefined : found;
}

const subscriptionsOf = ({ channels, every, tokens = [] }: Connection): Subscriptions => ({
  channels: [...(channels ?? [])],
  markets: every === undefined ? undefined : { every, tokens },
});

const audienceOf = ({ channels, markets }: Subscriptions): Audience | undefined =>
  channels.includes("prices") ? (markets === undefined ? "prices" : "markets") : undefined;

/** Builds the writes of a change that only adds channels, or only removes some. */
function changing(connection: Connection, { before, after }: Changed): Step {
  const added = after.channels.filter((channel) => !before.channels.includes(channel));
  const removed = before.channels.filter((channel) => !after.channels.includes(channel));
  const { every, tokens } = after.markets ?? {};
  const hasNewMarkets = !isDeepStrictEqual(before.markets, after.markets);
  if (added.length + removed.length === 0 && !hasNewMarkets) return [];
  const [old, next] = [audienceOf(before), audienceOf(after)];
  return [
    {
      kind: "change",
      key: keyOf(connection),
      ...(hasNewMarkets && { set: { every, tokens } }),
      ...(added.length > 0 && { add: { channels: new Set(added) } }),
      ...(removed.length > 0 && { take: { channels: new Set(removed) } }),
      when: { channels: connection.channels, every: connection.every, tokens: connection.tokens },
    },
    ...(old === undefined || old === next ? [] : [leaving(old, connection)]),
    ...(next === undefined || (old === next && !hasNewMarkets) ? [] : [joining(next, connection, after)]),
  ];
}

type Place = Pick<Connection, "connectionId" | "shard">;

function joining(audience: Audience, connection: Connection, { markets }: Subscriptions): Write {
  const { userID, connectionId, shard, keyEndsAt, expiresAt } = connection;
  const key = subscriberKey(audience, shard, connectionId);
  const item = { userID, connectionId, ...(keyEndsAt !== undefined && { keyEndsAt }), expiresAt };
  if (markets === undefined) return { kind: "put", key, item };
  // Updates the item rather than replacing it, because the item may note when the connection got stuck.
  return { kind: "change", key, set: { ...item, ...markets } };
}

const leaving = (audience: Audience, { connectionId, shard }: Place) =>
  ({ kind: "remove", key: subscriberKey(audience, shard, connectionId) }) as const;

/** Removes a connection from an audience. */
export async function leaveAudience(table: Table, audience: Audience, place: Place): Promise<void> {
  await write(table, leaving(audience, place));
}

/** A member of an audience. */
export type ChannelSubscriber = ConnectionName & {
  /** Time when its program key ends, if a program opened it. */
  keyEndsAt?: string;
  /** Time since when the member has accepted no messages. Absent if it accepted the last one. */
  stuckSince?: string;
};

/** A connection that readMarkets serves. */
export type MarketSubscriber = ChannelSubscriber & MarketSubscription;

const ofSubscriber = [
  "userID",
  "connectionId",
  "keyEndsAt",
  "stuckSince",
] satisfies (keyof ChannelSubscriber)[];
const ofFollower = ["userID", "connectionId", "tokens"] satisfies (keyof MarketSubscriber)[];
const ofMarketSubscriber = [...ofSubscriber, "every", "tokens"] satisfies (keyof MarketSubscriber)[];

/** Reads one shard's subscribers of prices that follow no tokens, page by page. */
export const subscribersInShard = (table: Table, shard: number) =>
  readShard<ChannelSubscriber>(table, subscribersOf("prices", shard), ofSubscriber);

/** Reads one shard's subscribers that follow tokens, page by page. */
export const marketSubscribersInShard = (table: Table, shard: number) =>
  readShard<MarketSubscriber>(table, subscribersOf("markets", shard), ofMarketSubscriber);

/** Number of followers in a portion. Reading a full page of 1 MB would delay everything else for a while. */
const followersInPortion = 250;

/** Reads the subscribers that follow tokens, in the first shards, portion by portion. */
export async function* marketFollowers(table: Table, shards: number): AsyncGenerator<Follower[]> {
  const options = { attributes: ofFollower, limit: followersInPortion };
  for (let shard = 0; shard < shards; shard++) {
    const range = subscribersOf("markets", shard);
    for await (const page of queryPages<MarketSubscriber>(table, range, options))
      yield page.map(({ userID, connectionId, tokens }) => ({ userID, connectionId, shard, tokens }));
  }
}

async function* readShard<Member extends object>(
  table: Table,
  range: KeyRange,
  attributes: readonly string[],
): AsyncGenerator<Member> {
  const pages: AsyncIterable<Member[]> = queryPages<Member>(table, range, { attributes });
  for await (const page of pages) yield* page;
}

/** True if a shard of an audience has any subscriber. */
export async function isOccupied(table: Table, audience: Audience, shard: number): Promise<boolean> {
  const [first] = await queryRange(table, subscribersOf(audience, shard), { limit: 1, attributes: ["PK"] });
  return first !== undefined;
}

/** True if an audience has any subscriber. */
export async function hasSubscribers(table: Table, audience: Audience, shards: number): Promise<boolean> {
  const found = await Promise.all(
    Array.from({ length: shards }, (_, shard) => isOccupied(table, audience, shard)),
  );
  return found.includes(true);
}
