import { mirrorChanges } from "../../lib/plans/mirror.ts";
import { LimitReached } from "../../lib/plans/usage-plans.ts";
import { onChanges } from "../../lib/runtime/background.ts";
import { mirrorDeps } from "../../lib/runtime/deps.ts";
import { logFault, logWarning } from "../../lib/runtime/log.ts";

const deps = mirrorDeps();

export const handler = onChanges("mirrorPlans", (records) =>
  mirrorChanges(deps, records, (error) => {
    // A full account is no fault of this function, and lasts. It has an alarm of its own, which counts warnings too.
    const log = error instanceof LimitReached ? logWarning : logFault;
    log("mirrorPlans", error);
  }),
);
