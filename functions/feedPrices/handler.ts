import type { Context } from "aws-lambda";
import { feedPrices } from "../../lib/prices/feed-prices.ts";
import { savePrices } from "../../lib/prices/price-records.ts";
import { background } from "../../lib/runtime/background.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { leaseOf, type Tick } from "../../lib/runtime/lease.ts";
import { logFault } from "../../lib/runtime/log.ts";
import { openTable } from "../../lib/table/table.ts";

const table = openTable(environment("TABLE_NAME"));
const feeds = environment("PRICE_FEEDS");

/** The next run takes over after a minute. If it is missing, this one keeps prices moving a little longer. */
const longestRunMs = 100_000;

/** Time for the last save and for closing the connections. */
const shutdownMs = 15_000;

export const handler = background("feedPrices", async (event: Tick, context: Context): Promise<void> => {
  const lease = leaseOf(event);
  const useful = await feedPrices({
    feeds,
    save: (prices) => savePrices(table, prices, lease),
    durationMs: Math.min(longestRunMs, context.getRemainingTimeInMillis() - shutdownMs),
    onLine: (line) => console.warn({ operation: "feedPrices", ...line }),
    onFault: (error) => logFault("feedPrices", error),
  });
  // No feed sent a price, or no price could be saved.
  if (!useful) throw Object.assign(new Error(), { name: "NoPrices" });
});
