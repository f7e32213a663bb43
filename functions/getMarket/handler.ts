import * as schemas from "../../lib/api/market-operations.ts";
import { handOverTo } from "../../lib/aws/hand-over.ts";
import { readMarketOnce } from "../../lib/markets/families/read-market.ts";
import { getMarket, type MarketDeps, recentLooks } from "../../lib/markets/get-market.ts";
import { openWant } from "../../lib/markets/want-markets.ts";
import type { FeedStart } from "../../lib/prices/price-records.ts";
import { openPrices } from "../../lib/realtime/snapshots.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";
import { openTrading } from "../../lib/runtime/open-trading.ts";
import { remembered } from "../../lib/runtime/remembered.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";

const table = openTable(environment("TABLE_NAME"));
const onFault = (error: unknown) => logFault("getMarket", error);
const feed = handOverTo<FeedStart>(environment("FEED_PRICES_FUNCTION"));
/** Starts the price feed. If that fails, the market is shown without values in dollars. */
const startFeed =
  environment("PRICE_FEEDS").length > 0 ? async (start: FeedStart) => feed(start).catch(onFault) : undefined;

const deps: MarketDeps = {
  table,
  chains: openTrading("getMarket"),
  lookOnce: readMarketOnce,
  prices: remembered(openPrices(table, startFeed), 1000),
  want: openWant(table, handOverTo(environment("READ_MARKETS_FUNCTION")), onFault),
  looked: recentLooks(),
};

export const handler = rest("getMarket", schemas.getMarket, async ({ userID, now, path }) =>
  enveloped(await getMarket(deps, { userID, now, ...path })),
);
