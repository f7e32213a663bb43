import { mirrorChanges } from "../../lib/plans/mirror.ts";
import { LimitReached } from "../../lib/plans/usage-plans.ts";
import { onChanges } from "../../lib/runtime/background.ts";
import { mirrorDeps } from "../../lib/runtime/deps.ts";
import { logFault, logWarning } from "../../lib/runtime/log.ts";

const deps = mirrorDeps();

export const handler = onChanges("mirrorPlans", (records) =>
  mirrorChanges(deps, records, (error) => {
    // If the AWS account has no room for more keys or plans, logs only a warning, because this function is not at
    // fault. A separate alarm counts such warnings.
    const log = error instanceof LimitReached ? logWarning : logFault;
    log("mirrorPlans", error);
  }),
);
