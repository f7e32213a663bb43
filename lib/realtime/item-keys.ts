import type { PublicChannel } from "../core/channel.ts";
import { itemAt, itemKey, type Key, type KeyRange, rangeOf } from "../table/keys.ts";

export const connectionKey = (userID: string, connectionId: string): Key =>
  itemKey("connection", { userID, connectionId });

export const connectionsOf = (userID: string): KeyRange => rangeOf("connection", { userID });

export const isConnection = (key: Key): boolean => itemAt(key) === "connection";

/** Covers all receivers of a user's messages and notices: connections, their count, and that of devices. */
export const receiversOf = (userID: string): KeyRange => rangeOf("connection", { userID }, "deviceCount");

export const connectionCountKey = (userID: string): Key => itemKey("connectionCount", { userID });

/**
 * Subscribers of prices whose messages come from the same sender: publishChanges serves those that follow no tokens,
 * readMarkets all others. Each connection is in only one audience, so that no message comes twice or out of order.
 */
export type Audience = PublicChannel | "markets";

export const subscriberKey = (audience: Audience, shard: number, connectionId: string): Key =>
  itemKey("subscriber", { channel: audience, shard, connectionId });

/**
 * Key of the note about the number of shards. A connection has the same shard in each audience, so one note serves both
 * audiences.
 */
const placeOfNote = { channel: "prices", shard: 0 } as const;

export const channelShardsKey: Key = itemKey("channelShards", placeOfNote);

export const channelShardsRange: KeyRange = rangeOf("channelShards", placeOfNote);

export const subscribersOf = (audience: Audience, shard: number): KeyRange =>
  rangeOf("subscriber", { channel: audience, shard });
