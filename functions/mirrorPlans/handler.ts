import { openTable } from "../../lib/aws/table.ts";
import { openUsagePlans } from "../../lib/aws/usage-plans.ts";
import type { Mirror } from "../../lib/plans/mirror.ts";
import { mirrorChanges } from "../../lib/plans/profile-changes.ts";
import { onChanges } from "../../lib/runtime/background.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";

const mirror: Mirror = {
  table: openTable(environment("TABLE_NAME")),
  plans: openUsagePlans({
    prefix: environment("PLAN_PREFIX"),
    stages: JSON.parse(environment("PLAN_STAGES")),
  }),
  standing: { Standard: environment("STANDARD_PLAN_ID"), Pro: environment("PRO_PLAN_ID") },
  grace: Number(environment("KEY_GRACE_SECONDS")) * 1000,
  now: () => new Date(),
};

export const handler = onChanges("mirrorPlans", (records) =>
  mirrorChanges(mirror, records, (error) => logFault("mirrorPlans", error)),
);
