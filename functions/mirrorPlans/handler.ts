import type { Mirror } from "../../lib/plans/mirror.ts";
import { mirrorChanges } from "../../lib/plans/profile-changes.ts";
import { onChanges } from "../../lib/runtime/background.ts";
import { planDeps } from "../../lib/runtime/deps.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";

const mirror: Mirror = {
  ...planDeps(),
  standing: { Standard: environment("STANDARD_PLAN_ID"), Pro: environment("PRO_PLAN_ID") },
  grace: environment("KEY_GRACE_SECONDS") * 1000,
  now: () => new Date(),
};

export const handler = onChanges("mirrorPlans", (records) =>
  mirrorChanges(mirror, records, (error) => logFault("mirrorPlans", error)),
);
