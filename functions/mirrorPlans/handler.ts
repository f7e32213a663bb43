import { type MirrorDeps, mirrorChanges } from "../../lib/plans/mirror.ts";
import { onChanges } from "../../lib/runtime/background.ts";
import { planDeps } from "../../lib/runtime/deps.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";

const deps: MirrorDeps = {
  ...planDeps(),
  tierPlans: { Standard: environment("STANDARD_PLAN_ID"), Pro: environment("PRO_PLAN_ID") },
  graceMs: environment("KEY_GRACE_SECONDS") * 1000,
  now: () => new Date(),
};

export const handler = onChanges("mirrorPlans", (records) =>
  mirrorChanges(deps, records, (error) => logFault("mirrorPlans", error)),
);
