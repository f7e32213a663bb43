import * as schemas from "../../lib/api/market-operations.ts";
import { handOverTo } from "../../lib/aws/hand-over.ts";
import { readMarketOnce } from "../../lib/markets/chains/read-market.ts";
import { getMarket, type MarketDeps, recentLooks } from "../../lib/markets/get-market.ts";
import { openWant } from "../../lib/markets/want-markets.ts";
import { openPrices } from "../../lib/realtime/snapshots.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";
import { remembered } from "../../lib/runtime/remembered.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { openChains } from "../../lib/trading/chains/open-chains.ts";

const table = openTable(environment("TABLE_NAME"));
const startFeed =
  environment("PRICE_FEEDS").length > 0 ? handOverTo(environment("FEED_PRICES_FUNCTION")) : undefined;

const deps: MarketDeps = {
  table,
  chains: openChains(environment("TRADING")),
  lookOnce: readMarketOnce,
  prices: remembered(openPrices(table, startFeed), 1000),
  want: openWant(table, handOverTo(environment("READ_MARKETS_FUNCTION")), (error) =>
    logFault("getMarket", error),
  ),
  looked: recentLooks(),
};

export const handler = rest("getMarket", schemas.getMarket, async ({ userID, now, path }) =>
  enveloped(await getMarket(deps, { userID, now, ...path })),
);
