import { randomUUID } from "node:crypto";
import { epochSeconds } from "../../core/time.ts";
import { type Item, queryRange, type Table } from "../../table/table.ts";
import { write } from "../../table/write.ts";
import type { TokenName } from "../core/market.ts";
import { marketNewsKey, marketNewsSince } from "./keys.ts";

/**
 * The tokens that a client has just asked for. Of a connection, it also says that its subscription has changed, and
 * that it waits for all of its tokens.
 */
export type MarketNews = {
  userID: string;
  connectionId?: string;
  /** The shard of the connection. */
  shard?: number;
  tokens: readonly TokenName[];
};

/** News as the reader finds them. */
export type FoundNews = MarketNews & { id: string; atMs: number };

/** News are read within seconds. Subscriptions and markets keep what they announce. */
const lifetimeSeconds = 600;

/** How far the clocks of functions may differ, and how late news may be stored, without being missed. */
const overlapMs = 2000;

/** A write that takes longer is repeated with a new time, so that no reader has passed it already. */
const promptMs = 1000;

const maxAttempts = 3;

/** Writes news at the present time. They may be written twice. */
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
 * Reads the news since a time, in their order. Some of them are up to two seconds older, so a reader that asks each second
 * finds most news more than once: their ids are the same.
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
