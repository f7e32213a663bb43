import {
  type ApiStage,
  CreateUsagePlanCommand,
  DeleteUsagePlanCommand,
  GetUsagePlanCommand,
  paginateGetUsagePlans,
  type ThrottleSettings,
  UpdateUsagePlanCommand,
} from "@aws-sdk/client-api-gateway";
import { methodThrottlesOf, sameMethodThrottles } from "./method-throttles.ts";
import { type Plan, sameThrottle, throttleOf } from "./plan.ts";
import { coverageOf, stageKey, withThrottles } from "./plan-stages.ts";
import { given, isTagged, tagsOf, type UsagePlans, unlessGone } from "./usage-plans.ts";

/** A plan of one Enterprise customer. `name` omits the prefix and equals the name of the customer's key. */
export type CustomerPlan = {
  id: string;
  name: string;
  throttle: ThrottleSettings;
  stages: readonly ApiStage[];
  tagged: boolean;
};

/** Limits of a customer's plan in API Gateway, as far as they decide whether the plan is as it should be. */
type Limits = Pick<CustomerPlan, "throttle" | "stages">;

const hasStages = ({ stages }: Pick<Limits, "stages">, plan: Plan, plans: Pick<UsagePlans, "stages">) => {
  const throttles = new Map(stages.map((stage) => [stageKey(stage), stage.throttle]));
  return (
    coverageOf(stages) === coverageOf(plans.stages) &&
    withThrottles(plans.stages, methodThrottlesOf(plan)).every((stage) =>
      sameMethodThrottles(throttles.get(stageKey(stage)), stage.throttle),
    )
  );
};

/** True if a customer's plan has the throttle, the stages and the throttles of methods that it should have. */
export const isAgreed = (found: Limits, plan: Plan, plans: Pick<UsagePlans, "stages">): boolean =>
  sameThrottle(found.throttle, throttleOf(plan)) && hasStages(found, plan, plans);

/** Creates a plan with this name, unless it exists already. Returns its id. */
export async function createCustomerPlan(plans: UsagePlans, name: string, plan: Plan): Promise<string> {
  for await (const made of customerPlans(plans)) if (made.name === name) return made.id;
  // Does not retry: plan names need not be unique, so a retry could create a second plan. If a plan was created, the
  // next run finds it.
  const { id } = await plans.once.send(
    new CreateUsagePlanCommand({
      name: plans.prefix + name,
      throttle: throttleOf(plan),
      apiStages: withThrottles(plans.stages, methodThrottlesOf(plan)),
      tags: tagsOf(plans),
    }),
  );
  return given(id);
}

/**
 * Changes the throttle of a plan. A plan without all its stages, or that no longer exists, is unusable. A plan with
 * other throttles of methods is outdated, but works: AWS does not document how a change of them writes a path with
 * slashes, so the caller makes another plan.
 */
export async function changeThrottle(
  plans: UsagePlans,
  planId: string,
  wanted: Plan,
): Promise<"right" | "outdated" | "unusable"> {
  const { client } = plans;
  const found = await unlessGone(client.send(new GetUsagePlanCommand({ usagePlanId: planId })));
  const stages = found?.apiStages ?? [];
  if (found === undefined || coverageOf(stages) !== coverageOf(plans.stages)) return "unusable";
  if (!hasStages({ stages }, wanted, plans)) return "outdated";
  const throttle = throttleOf(wanted);
  // Does not update an unchanged plan, because API Gateway accepts only one update every 20 seconds.
  if (sameThrottle(found.throttle ?? {}, throttle)) return "right";
  const changed = client.send(
    new UpdateUsagePlanCommand({
      usagePlanId: planId,
      patchOperations: Object.entries(throttle).map(([part, value]) => ({
        op: "replace",
        path: `/throttle/${part}`,
        value: String(value),
      })),
    }),
  );
  return (await unlessGone(changed)) === undefined ? "unusable" : "right";
}

export async function deleteCustomerPlanNamed(plans: UsagePlans, name: string): Promise<void> {
  for await (const { id, name: found } of customerPlans(plans))
    if (found === name) await deleteCustomerPlan(plans, id);
}

/** Deletes a plan after removing its stages, which API Gateway requires. */
export async function deleteCustomerPlan({ client }: UsagePlans, planId: string): Promise<void> {
  const plan = await unlessGone(client.send(new GetUsagePlanCommand({ usagePlanId: planId })));
  if (plan === undefined) return;
  const patchOperations = (plan.apiStages ?? []).map((stage) => ({
    op: "remove" as const,
    path: "/apiStages",
    value: stageKey(stage),
  }));
  if (patchOperations.length > 0)
    await unlessGone(client.send(new UpdateUsagePlanCommand({ usagePlanId: planId, patchOperations })));
  await unlessGone(client.send(new DeleteUsagePlanCommand({ usagePlanId: planId })));
}

/** Lists the plans of all Enterprise customers. */
export async function* customerPlans(plans: UsagePlans): AsyncGenerator<CustomerPlan> {
  const { client, prefix } = plans;
  for await (const { items = [] } of paginateGetUsagePlans({ client }, { limit: 500 }))
    for (const { id, name, throttle = {}, apiStages: stages = [], tags } of items)
      if (name?.startsWith(prefix)) {
        const tagged = isTagged(plans, tags);
        yield { id: given(id), name: name.slice(prefix.length), throttle, stages, tagged };
      }
}
