import { freeIdleKeys } from "../../lib/plans/sweep.ts";
import { background } from "../../lib/runtime/background.ts";
import { planDeps } from "../../lib/runtime/deps.ts";
import { logFault } from "../../lib/runtime/log.ts";

const deps = planDeps();

export const handler = background("freeIdleKeys", () =>
  freeIdleKeys(deps, new Date(), (error) => logFault("freeIdleKeys", error)),
);
