import { randomUUID } from "node:crypto";
import type { Context } from "aws-lambda";
import { feedPrices } from "../../lib/prices/feed-prices.ts";
import {
  type FeedRun,
  type FeedStart,
  keepFeed,
  leaveFeed,
  savePrices,
  takeFeed,
} from "../../lib/prices/price-records.ts";
import { shardCounter } from "../../lib/realtime/channel-shards.ts";
import { arePricesWanted } from "../../lib/realtime/market-reader.ts";
import { background } from "../../lib/runtime/background.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";
import { openTable } from "../../lib/table/table.ts";

const table = openTable(environment("TABLE_NAME"));
const feeds = environment("PRICE_FEEDS");
const countShards = shardCounter(table, environment("CHANNEL_SHARDS"));
const everyMs = environment("PRICES_EVERY_SECONDS") * 1000;

/**
 * The next run takes over after ten minutes. If it fails to start, this run keeps prices up to date for three more
 * minutes.
 */
const longestRunMs = 13 * 60_000;

/** Reserves time for the last save and for closing the connections. */
const shutdownMs = 15_000;

export const handler = background("feedPrices", async ({ after }: FeedStart, context: Context) => {
  if (feeds.length === 0) return;
  const run: FeedRun = { lease: randomUUID(), startedAt: new Date().toISOString(), after };
  const holder = await takeFeed(table, run);
  const isHeld = holder === run.lease;
  if (!isHeld && (after === undefined || holder !== after)) return;
  await feedPrices({
    feeds,
    hold: {
      isHeld,
      take: async () => (await takeFeed(table, run)) === run.lease,
      save: (prices) => savePrices(table, run, prices),
      keep: () => keepFeed(table, run),
      leave: () => leaveFeed(table, run),
    },
    isWanted: async () => arePricesWanted(table, await countShards(new Date())),
    everyMs,
    durationMs: Math.min(longestRunMs, context.getRemainingTimeInMillis() - shutdownMs),
    onLine: (line) => console.warn({ operation: "feedPrices", ...line }),
    onFault: (error) => logFault("feedPrices", error),
  });
});
