import type { Context } from "aws-lambda";
import { background, deadlineOf } from "../../lib/runtime/background.ts";
import { openCheckingTable } from "../../lib/runtime/checking-table.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { answerGuardRequest } from "../../lib/runtime/guard-requests.ts";
import { reporter } from "../../lib/runtime/log.ts";

const deps = {
  table: { ...openCheckingTable(), id: environment("TABLE_ID") },
  delaySeconds: environment("EXPORT_DELAY_SECONDS"),
  ...reporter("loosenGuards"),
};

/** Reserves enough time for one change, including all retries. */
const reserveMs = 15_000;

export const handler = background("loosenGuards", (event: unknown, context: Context) =>
  answerGuardRequest(deps, event, { now: new Date(), deadline: deadlineOf(context, reserveMs) }),
);
