import { openTable } from "../../lib/aws/table.ts";
import { openUsagePlans } from "../../lib/aws/usage-plans.ts";
import { deleteRetiredKeys } from "../../lib/plans/sweep.ts";
import { background } from "../../lib/runtime/background.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";

const world = {
  table: openTable(environment("TABLE_NAME")),
  plans: openUsagePlans({
    prefix: environment("PLAN_PREFIX"),
    stages: JSON.parse(environment("PLAN_STAGES")),
  }),
};

export const handler = background("deleteRetiredKeys", () =>
  deleteRetiredKeys(world, new Date(), (error) => logFault("deleteRetiredKeys", error)),
);
