import type { Context } from "aws-lambda";
import { background } from "../../lib/runtime/background.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";
import { openTable } from "../../lib/table/table.ts";
import { creditReferrals } from "../../lib/users/credit-referrals.ts";

const table = openTable(environment("TABLE_NAME"));

/** Longest time to credit one referral, including all retries. */
const reserveMs = 20_000;

export const handler = background("creditReferrals", (_event: unknown, context: Context) =>
  creditReferrals(table, {
    hasTime: () => context.getRemainingTimeInMillis() > reserveMs,
    onFault: (error) => logFault("creditReferrals", error),
  }),
);
