import type { Context, ScheduledEvent } from "aws-lambda";
import { savePrices } from "../../lib/aws/price-records.ts";
import { openTable } from "../../lib/aws/table.ts";
import { feedPrices } from "../../lib/prices/feed-prices.ts";
import type { PriceFeed } from "../../lib/prices/feeds.ts";
import { leaseOf } from "../../lib/prices/lease.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";
import { withoutStack } from "../../lib/runtime/without-stack.ts";

const table = openTable(environment("TABLE_NAME"));
const feeds: readonly PriceFeed[] = JSON.parse(environment("PRICE_FEEDS"));

/** Milliseconds. The next run takes over after a minute; when it does not come, the prices go on for a while. */
const longestRun = 100_000;

/** Milliseconds that the last save and the closing of the connections may take. */
const farewell = 15_000;

export async function handler(event: Pick<ScheduledEvent, "id" | "time">, context: Context): Promise<void> {
  const lease = leaseOf(event);
  const useful = await feedPrices({
    feeds,
    save: (prices) => savePrices(table, prices, lease),
    duration: Math.min(longestRun, context.getRemainingTimeInMillis() - farewell),
    onLine: (line) => console.warn({ operation: "feedPrices", ...line }),
    onFault: (error) => logFault("feedPrices", error),
  });
  if (!useful) throw withoutStack("No feed has told a price, or none could be saved");
}
