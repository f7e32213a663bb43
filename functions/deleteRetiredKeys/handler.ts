import type { Context } from "aws-lambda";
import { deleteRetiredKeys } from "../../lib/plans/sweep.ts";
import { background, deadlineOf } from "../../lib/runtime/background.ts";
import { mirrorDeps } from "../../lib/runtime/deps.ts";
import { logFault } from "../../lib/runtime/log.ts";

const deps = mirrorDeps();

/** Reserves enough time to delete a key and a plan, including all retries. */
const reserveMs = 60_000;

export const handler = background("deleteRetiredKeys", (_: unknown, context: Context) =>
  deleteRetiredKeys(deps, { now: new Date(), deadline: deadlineOf(context, reserveMs) }, (error) =>
    logFault("deleteRetiredKeys", error),
  ),
);
