import type { TradingChain } from "../../core/chain-facts.ts";
import { nativeToken } from "../../orders/trading-chain.ts";
import { itemKey, type Key, type KeyRange, rangeOf } from "../../table/keys.ts";
import type { ChunkKind } from "../core/candle-chunk.ts";
import type { TokenName } from "../core/market.ts";

/** Number of partitions over which the tokens of a chain are spread. */
export const marketShards = 4;

/**
 * Hashes the characters of the address by FNV-1a. The hash must spread addresses evenly but need not resist attacks.
 */
export function marketShardOf(token: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < token.length; index++)
    hash = Math.imul(hash ^ token.charCodeAt(index), 0x01000193);
  return (hash >>> 24) % marketShards;
}

export const marketKey = ({ chain, token }: TokenName): Key =>
  itemKey("market", { chain, shard: marketShardOf(token), token });

export const marketsIn = (chain: TradingChain, shard: number): KeyRange =>
  rangeOf("market", { chain, shard });

/** @param reader The chain that a run reads, or `all` */
export const heldTokensKey = (reader: TradingChain | "all", part: number): Key =>
  itemKey("heldTokens", { reader, part });

export const heldTokensIn = (reader: TradingChain | "all"): KeyRange => rangeOf("heldTokens", { reader });

export const marketIndexKey = (chain: TradingChain): Key => itemKey("marketIndex", { chain });

export const newTokensKey = (chain: TradingChain): Key => itemKey("newTokens", { chain });

export const newTokensTurnKey = (chain: TradingChain): Key => itemKey("newTokensTurn", { chain });

/** @param start The start of the chunk, in epoch seconds */
export const chunkKey = (kind: ChunkKind, { chain, token }: TokenName, start: number): Key =>
  itemKey(kind, { chain, token, start: padded(start) });

/** Covers the chunks that start between two times in epoch seconds, including both. */
export function chunksWithin(
  kind: ChunkKind,
  name: TokenName,
  { from, to }: { from: number; to: number },
): KeyRange {
  const { PK, SK } = chunkKey(kind, name, from);
  return { PK, from: SK, to: chunkKey(kind, name, to).SK };
}

/** Pads epoch seconds to 11 digits, so that they sort as text for some thousand years to come. */
const padded = (seconds: number) => String(seconds).padStart(11, "0");

/** Names the coin like a token. The coin's price in dollars is stored under this name. */
export const coinOf = (chain: TradingChain): TokenName => ({ chain, token: nativeToken });

/** @param time The time in ISO 8601, so that news items sort by time */
export const marketNewsKey = (shard: number, time: string, id: string): Key =>
  itemKey("marketNews", { shard, time, id });

/** Covers the news items of a shard from a given time on. */
export const marketNewsSince = (shard: number, time: string): KeyRange => ({
  ...rangeOf("marketNews", { shard }),
  from: rangeOf("marketNews", { shard, time }).from,
});

/** @param minute The number of whole minutes since the epoch */
export const marketLooksKey = (userID: string, minute: number): Key =>
  itemKey("marketLooks", { userID, minute });

/** @param day The number of whole days since the epoch */
export const marketHistoriesKey = (userID: string, day: number): Key =>
  itemKey("marketHistories", { userID, day });
