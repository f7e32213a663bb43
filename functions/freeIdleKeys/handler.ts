import type { Context } from "aws-lambda";
import { freeIdleKeys } from "../../lib/plans/sweep.ts";
import { background, deadlineOf } from "../../lib/runtime/background.ts";
import { openCheckingTable } from "../../lib/runtime/checking-table.ts";
import { planDeps } from "../../lib/runtime/deps.ts";
import { logFault } from "../../lib/runtime/log.ts";

const deps = planDeps(openCheckingTable());

/** Reserves enough time for one user, including all retries. */
const reserveMs = 60_000;

export const handler = background("freeIdleKeys", (_: unknown, context: Context) =>
  freeIdleKeys(deps, { now: new Date(), deadline: deadlineOf(context, reserveMs) }, (error) =>
    logFault("freeIdleKeys", error),
  ),
);
