import * as schemas from "../../lib/api/trading-operations.ts";
import { openTrading } from "../../lib/runtime/open-trading.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { inspectToken } from "../../lib/trading/inspect-token.ts";

const chains = openTrading("inspectToken");

export const handler = rest("inspectToken", schemas.inspectToken, async ({ path, now }) =>
  enveloped(await inspectToken(chains, { ...path, now })),
);
