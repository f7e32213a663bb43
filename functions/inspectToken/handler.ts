import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { inspectToken } from "../../lib/trading/inspect-token.ts";
import { openChains } from "../../lib/trading/open-chains.ts";

const chains = openChains(environment("TRADING"));

export const handler = rest("inspectToken", async ({ path, now }) =>
  enveloped(await inspectToken(chains, { ...path, now })),
);
