import * as schemas from "../../lib/api/trading-operations.ts";
import { openChains } from "../../lib/chains/families/open-chains.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { inspectToken } from "../../lib/trading/inspect-token.ts";

const chains = openChains(environment("TRADING"));

export const handler = rest("inspectToken", schemas.inspectToken, async ({ path, now }) =>
  enveloped(await inspectToken(chains, { ...path, now })),
);
