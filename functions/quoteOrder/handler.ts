import { openTable } from "../../lib/aws/table.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openChains } from "../../lib/trading/open-chains.ts";
import { quoteOrder } from "../../lib/trading/quote-order.ts";

const deps = { table: openTable(environment("TABLE_NAME")), chains: openChains(environment("TRADING")) };

export const handler = rest("quoteOrder", async ({ userID, now, body }) =>
  enveloped(await quoteOrder(deps, { userID, now, body })),
);
