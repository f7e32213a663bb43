import * as schemas from "../../lib/api/market-operations.ts";
import { handOverTo } from "../../lib/aws/hand-over.ts";
import { identifyToken } from "../../lib/chains/families/token.ts";
import { type CandleDeps, listCandles } from "../../lib/markets/list-candles.ts";
import { openWant } from "../../lib/markets/want-markets.ts";
import { readFeed } from "../../lib/prices/price-records.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";
import { openTrading } from "../../lib/runtime/open-trading.ts";
import { remembered } from "../../lib/runtime/remembered.ts";
import { enveloped, rest, WithHeaders } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";

const table = openTable(environment("TABLE_NAME"));

const deps: CandleDeps = {
  table,
  chains: openTrading("listCandles"),
  identify: identifyToken,
  prices: remembered(async () => (await readFeed(table)).prices, 1000),
  want: openWant(table, handOverTo(environment("READ_MARKETS_FUNCTION")), (error) =>
    logFault("listCandles", error),
  ),
};

export const handler = rest("listCandles", schemas.listCandles, async (request) => {
  const { candles, etag } = await listCandles(deps, request);
  return new WithHeaders(enveloped(candles), { ETag: etag });
});
