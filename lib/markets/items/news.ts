import { randomUUID } from "node:crypto";
import { epochSeconds } from "../../core/time.ts";
import { type Item, queryRange, type Table } from "../../table/table.ts";
import { write } from "../../table/write.ts";
import type { TokenName } from "../core/market.ts";
import { marketNewsKey, marketNewsSince } from "./keys.ts";

/**
 * Tokens that a client has just asked for. If the client asked on a connection, the item also shows that the
 * connection's subscription has changed and that the connection waits for all of its tokens.
 */
export type MarketNews = {
  userID: string;
  connectionId?: string;
  /** Shard of the connection. */
  shard?: number;
  tokens: readonly TokenName[];
};

/**
 * Maximum number of partitions for news. Each takes at least 500 items a second, as many as clients may connect by
 * default, and the reader asks for each of them every second.
 */
const mostNewsShards = 16;

/** A news item as the reader finds it. */
export type FoundNews = MarketNews & { id: string; atMs: number };

/**
 * Lifetime of news items. They are read within seconds, and their content is also stored in subscriptions and markets.
 */
const lifetimeSeconds = 600;

/**
 * Overlap between successive reads of the news. It covers differing clocks and late writes, so that no item is missed.
 */
const overlapMs = 2000;

/**
 * Maximum duration of writing a news item. If the write takes longer, it is repeated with a new time, because readers
 * may already have read past the old time.
 */
const promptMs = 1000;

const maxAttempts = 3;

/** Writes a news item with the current time. May write it twice. */
export async function writeNews(
  table: Table,
  { userID, connectionId, shard, tokens }: MarketNews,
  nowMs = () => Date.now(),
): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const time = new Date(nowMs());
    await write(table, {
      kind: "put",
      key: marketNewsKey((shard ?? 0) % mostNewsShards, time.toISOString(), randomUUID()),
      item: {
        userID,
        connectionId,
        shard,
        tokens: tokens.map(({ chain, token }) => ({ chain, token })),
        expiresAt: epochSeconds(time) + lifetimeSeconds,
      },
    });
    if (nowMs() - time.getTime() <= promptMs) return;
  }
}

/**
 * Reads the news items of all connections since a given time, in order. Some items are up to two seconds older, so a
 * reader that asks each second finds most items more than once, with the same ids.
 *
 * @param shards The number of shards of connections
 */
export async function readNewsSince(table: Table, sinceMs: number, shards: number): Promise<FoundNews[]> {
  const time = new Date(sinceMs - overlapMs).toISOString();
  const found = await Promise.all(
    Array.from({ length: Math.min(shards, mostNewsShards) }, (_, shard) =>
      queryRange<MarketNews>(table, marketNewsSince(shard, time)),
    ),
  );
  return found.flatMap((items) => items.map(newsOf)).toSorted((a, b) => a.atMs - b.atMs);
}

function newsOf({ SK, userID, connectionId, shard, tokens }: Item<MarketNews>): FoundNews {
  const [, writtenAt = "", id = ""] = SK.split("#");
  return {
    id,
    atMs: Date.parse(writtenAt),
    userID,
    ...(connectionId !== undefined && { connectionId }),
    ...(shard !== undefined && { shard }),
    tokens,
  };
}
