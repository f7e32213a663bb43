import * as schemas from "../../lib/api/trading-operations.ts";
import { identifyToken } from "../../lib/chains/families/token.ts";
import { readMarketIndex } from "../../lib/markets/items/market-index.ts";
import { readMadeTokens } from "../../lib/markets/items/new-tokens.ts";
import { findTokens, type SearchDeps } from "../../lib/markets/search-tokens.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { openTrading } from "../../lib/runtime/open-trading.ts";
import { remembered } from "../../lib/runtime/remembered.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { listTokens } from "../../lib/trading/list-tokens.ts";

const table = openTable(environment("TABLE_NAME"));
const chains = openTrading("listTokens");

/** The market reader writes an index every ten minutes. */
const indexes = new Map(
  [...chains.keys()].map((chain) => [chain, remembered(() => readMarketIndex(table, chain), 60_000)]),
);

const made = new Map(
  [...chains.keys()].map((chain) => [chain, remembered(() => readMadeTokens(table, chain), 10_000)]),
);

const deps: SearchDeps = {
  table,
  chains,
  indexOf: async (chain) => (await indexes.get(chain)?.()) ?? [],
  madeOn: async (chain) => (await made.get(chain)?.()) ?? [],
  identify: identifyToken,
};

export const handler = rest(
  "listTokens",
  schemas.listTokens,
  async ({ userID, now, query: { chain, query } }) =>
    enveloped(
      query === undefined ? listTokens(chains, chain) : await findTokens(deps, { userID, now, query, chain }),
    ),
);
