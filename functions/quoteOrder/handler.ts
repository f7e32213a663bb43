import * as schemas from "../../lib/api/trading-operations.ts";
import { handOverTo } from "../../lib/aws/hand-over.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";
import { openJupiter } from "../../lib/runtime/open-jupiter.ts";
import { openTrading } from "../../lib/runtime/open-trading.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { quoteOrder } from "../../lib/trading/quote-order.ts";
import { missedReporter } from "../../lib/trading/report-missed.ts";

const deps = {
  table: openTable(environment("TABLE_NAME")),
  chains: openTrading("quoteOrder", openJupiter("quoteOrder")),
  lossSignIn: environment("LOSS_SIGN_IN"),
  reportMissed: missedReporter(handOverTo(environment("EXECUTE_ORDERS_FUNCTION")), (error) =>
    logFault("quoteOrder", error),
  ),
};

export const handler = rest("quoteOrder", schemas.quoteOrder, async ({ userID, now, signedInAt, by, body }) =>
  enveloped(await quoteOrder(deps, { userID, now, signedInAt, by, body })),
);
