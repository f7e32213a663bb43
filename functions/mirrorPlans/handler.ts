import { mirrorChanges } from "../../lib/plans/mirror.ts";
import { LimitReached } from "../../lib/plans/usage-plans.ts";
import { onChanges } from "../../lib/runtime/background.ts";
import { mirrorDeps } from "../../lib/runtime/deps.ts";
import { logFault, logWarning } from "../../lib/runtime/log.ts";

const deps = mirrorDeps();

export const handler = onChanges("mirrorPlans", (records) =>
  mirrorChanges(deps, records, (error) => {
    // Logs only a warning: a full account is not a fault of this function. It has its own alarm, which counts warnings,
    // too.
    const log = error instanceof LimitReached ? logWarning : logFault;
    log("mirrorPlans", error);
  }),
);
