import { deleteRetiredKeys } from "../../lib/plans/sweep.ts";
import { background } from "../../lib/runtime/background.ts";
import { mirrorDeps } from "../../lib/runtime/deps.ts";
import { logFault } from "../../lib/runtime/log.ts";

const deps = mirrorDeps();

export const handler = background("deleteRetiredKeys", () =>
  deleteRetiredKeys(deps, new Date(), (error) => logFault("deleteRetiredKeys", error)),
);
