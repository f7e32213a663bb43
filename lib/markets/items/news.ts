import { randomUUID } from "node:crypto";
import { epochSeconds } from "../../core/time.ts";
import { type Item, queryRange, type Table } from "../../table/table.ts";
import { write } from "../../table/write.ts";
import type { TokenName } from "../core/market.ts";
import { marketNewsKey, marketNewsSince } from "./keys.ts";

/**
 * Tokens that a client has just asked for. From a connection, news also show that its subscription has changed and that
 * it waits for all of its tokens.
 */
export type MarketNews = {
  userID: string;
  connectionId?: string;
  /** Shard of the connection. */
  shard?: number;
  tokens: readonly TokenName[];
};

/** News as the reader finds them. */
export type FoundNews = MarketNews & { id: string; atMs: number };

/** Lifetime of news. They are read within seconds, and subscriptions and markets keep their content. */
const lifetimeSeconds = 600;

/** Overlap of readings, which covers differing clocks and late storage, so that no news are missed. */
const overlapMs = 2000;

/**
 * Longest write of news. A longer one is repeated with a new time, because readers may already have passed the old
 * time.
 */
const promptMs = 1000;

const maxAttempts = 3;

/** Writes news with the current time, possibly twice. */
export async function writeNews(
  table: Table,
  { userID, connectionId, shard, tokens }: MarketNews,
  nowMs = () => Date.now(),
): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const time = new Date(nowMs());
    await write(table, {
      kind: "put",
      key: marketNewsKey(time.toISOString(), randomUUID()),
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
 * Reads the news since a time, in their order. Some are up to two seconds older, so a reader that asks each second
 * finds most news more than once, with the same ids.
 */
export async function readNewsSince(table: Table, sinceMs: number): Promise<FoundNews[]> {
  const time = new Date(sinceMs - overlapMs).toISOString();
  const found = await queryRange<MarketNews>(table, marketNewsSince(time));
  return found.map(({ SK, userID, connectionId, shard, tokens }: Item<MarketNews>) => {
    const [, writtenAt = "", id = ""] = SK.split("#");
    return {
      id,
      atMs: Date.parse(writtenAt),
      userID,
      ...(connectionId !== undefined && { connectionId }),
      ...(shard !== undefined && { shard }),
      tokens,
    };
  });
}
