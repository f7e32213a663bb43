import type { APIGatewayClientConfig } from "@aws-sdk/client-api-gateway";
import type { Table } from "../aws/table.ts";
import { openUsagePlans } from "../aws/usage-plans.ts";
import type { Mirror } from "../plans/mirror.ts";
import type { OutputsOf, planStack } from "./stack-outputs.ts";

/** What is needed to compare users' plans with their profiles, and to put them right. */
export type PlanTarget = Omit<Mirror, "now">;

/** @param access how the control plane is reached, where the SDK does not know it by itself. */
export function planTarget(
  table: Table,
  { StandardPlanId, ProPlanId, PlanPrefix, PlanStages }: OutputsOf<typeof planStack>,
  { grace, ...access }: Pick<PlanTarget, "grace"> & APIGatewayClientConfig,
): PlanTarget {
  return {
    table,
    plans: openUsagePlans({ prefix: PlanPrefix, stages: PlanStages }, access),
    standing: { Standard: StandardPlanId, Pro: ProPlanId },
    grace,
  };
}
