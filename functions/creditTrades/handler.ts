import type { Context } from "aws-lambda";
import { handOverTo } from "../../lib/aws/hand-over.ts";
import type { FeedStart } from "../../lib/prices/price-records.ts";
import { openPrices } from "../../lib/realtime/snapshots.ts";
import { creditTrades } from "../../lib/rewards/credit-trades.ts";
import { background } from "../../lib/runtime/background.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";
import { openTable } from "../../lib/table/table.ts";

const table = openTable(environment("TABLE_NAME"));
const rules = environment("EARNING");
const onFault = (error: unknown) => logFault("creditTrades", error);
const feed = handOverTo<FeedStart>(environment("FEED_PRICES_FUNCTION"));
/** Starts the price feed, so that trades have a value even if nobody watches prices. */
const startFeed =
  environment("PRICE_FEEDS").length > 0 ? async (start: FeedStart) => feed(start).catch(onFault) : undefined;

/** Longest time of a transaction, including all retries. */
const reserveMs = 20_000;

export const handler = background("creditTrades", (_event: unknown, context: Context) =>
  creditTrades({
    table,
    rules,
    prices: openPrices(table, startFeed),
    now: () => new Date(),
    hasTime: () => context.getRemainingTimeInMillis() > reserveMs,
    onFault,
  }),
);
