import * as schemas from "../../lib/api/trading-operations.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openChains } from "../../lib/trading/chains/open-chains.ts";
import { listTokens } from "../../lib/trading/list-tokens.ts";

const chains = openChains(environment("TRADING"));

export const handler = rest("listTokens", schemas.listTokens, async ({ query: { chain } }) =>
  enveloped(listTokens(chains, chain)),
);
