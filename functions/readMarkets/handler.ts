import { randomInt } from "node:crypto";
import type { Context } from "aws-lambda";
import { callOf } from "../../lib/aws/call-function.ts";
import { handOverTo } from "../../lib/aws/hand-over.ts";
import type { MarketsStart } from "../../lib/markets/chain-runs.ts";
import type { HistoryState } from "../../lib/markets/core/market.ts";
import { openReader } from "../../lib/markets/open-reader.ts";
import { readMarkets } from "../../lib/markets/read-markets.ts";
import { shardCounter } from "../../lib/realtime/channel-shards.ts";
import { marketFollowers } from "../../lib/realtime/connection-records.ts";
import { openPrices } from "../../lib/realtime/snapshots.ts";
import { background } from "../../lib/runtime/background.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault, logWarning } from "../../lib/runtime/log.ts";
import { buildOf, longestMsOf } from "../../lib/runtime/long-run.ts";
import { openTrading } from "../../lib/runtime/open-trading.ts";
import { remembered } from "../../lib/runtime/remembered.ts";
import { openTable } from "../../lib/table/table.ts";

const table = openTable(environment("TABLE_NAME"));
const chains = openTrading("readMarkets");
const countAt = shardCounter(table, environment("CHANNEL_SHARDS"));
const countShards = () => countAt(new Date());
const feed = handOverTo<object>(environment("FEED_PRICES_FUNCTION"));
/** Waits 5 seconds before starting the feed again, because a new run takes a moment to start. */
const startFeed = environment("PRICE_FEEDS").length > 0 ? remembered(() => feed({}), 5000) : undefined;
// Does not retry, because clients would get two messages within a second if the first attempt has succeeded after all.
const deliver = callOf(environment("DELIVER_FUNCTION"), { maxAttempts: 1 });
/** Allows a little more time than loadHistory may take. */
const loadHistory = callOf(environment("LOAD_HISTORY_FUNCTION"), { maxAttempts: 1 }, 65_000);

const build = buildOf(import.meta.filename);

/** Bounds for the duration of a shift. Runs choose different ones, so that not all of them hand over at once. */
const shift = { leastMs: 7.5 * 60_000, mostMs: 10 * 60_000 };

/** Reserves time to store the results. */
const shutdownMs = 30_000;

export const handler = background("readMarkets", (start: MarketsStart, context: Context) =>
  readMarkets(
    openReader({
      table,
      chains,
      countShards,
      async *readFollowers() {
        yield* marketFollowers(table, await countShards());
      },
      readPrices: openPrices(table, startFeed),
      marketTokens: environment("MARKET_TOKENS"),
      deliver: async (delivery) => (await deliver(delivery)) as { isDelivered: boolean },
      startReader: handOverTo<MarketsStart>(environment("READ_MARKETS_FUNCTION")),
      loadHistory: async (order: object) => (await loadHistory(order)) as HistoryState,
      onFault: (error) => logFault("readMarkets", error),
      onWarning: (error: unknown, details?: object) => logWarning("readMarkets", error, details),
    }),
    {
      build,
      shiftMs: randomInt(shift.leastMs, shift.mostMs),
      longestMs: longestMsOf(context, shutdownMs),
    },
    start,
  ),
);
