import type { PublicChannel } from "../core/channel.ts";
import { itemKey, type Key, type KeyRange, rangeOf } from "../table/keys.ts";

export const connectionKey = (userID: string, connectionId: string): Key =>
  itemKey("connection", { userID, connectionId });

export const connectionsOf = (userID: string): KeyRange => rangeOf("connection", { userID });

export const connectionCountKey = (userID: string): Key => itemKey("connectionCount", { userID });

export const subscriberKey = (channel: PublicChannel, shard: number, connectionId: string): Key =>
  itemKey("subscriber", { channel, shard, connectionId });

const pricesChannel = { channel: "prices", shard: 0 } as const;

export const channelShardsKey: Key = itemKey("channelShards", pricesChannel);

export const channelShardsRange: KeyRange = rangeOf("channelShards", pricesChannel);

export const subscribersOf = (channel: PublicChannel, shard: number): KeyRange =>
  rangeOf("subscriber", { channel, shard });
