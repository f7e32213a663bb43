import { mirrorChanges } from "../../lib/plans/mirror.ts";
import { onChanges } from "../../lib/runtime/background.ts";
import { mirrorDeps } from "../../lib/runtime/deps.ts";
import { logFault } from "../../lib/runtime/log.ts";

const deps = mirrorDeps();

export const handler = onChanges("mirrorPlans", (records) =>
  mirrorChanges(deps, records, (error) => logFault("mirrorPlans", error)),
);
