import * as v from "valibot";
import { plansOf, stageName, stageTaken, type UsagePlan } from "../model.ts";
import { newPlanId } from "../new-ids.ts";
import { type Context, findPlan, replaced } from "./context.ts";
import { badRequest, conflict, notFound } from "./control-plane-error.ts";
import { operation, parse } from "./operation.ts";
import { page, pageQuery } from "./page.ts";
import { patched, patchOperations } from "./patch.ts";
import { type PlanDraft, planRules } from "./plan-patch.ts";
import { type PlanSettings, planSettings } from "./plan-settings.ts";
import { tags } from "./tag-operations.ts";

export function usagePlanOperations(context: Context) {
  const { state, stages, now } = context;

  function checkStages({ apiStages }: PlanSettings): void {
    const unknown = apiStages.map(stageName).find((name) => !stages.has(name));
    if (unknown) throw notFound(`API Stage not found: ${unknown}`);
  }

  /** A plan that gets a stage must not be a second one of that stage for any of its keys. */
  function checkKeys(plan: UsagePlan): void {
    for (const { keyId, usagePlanId } of state.current.planKeys) {
      const taken = usagePlanId === plan.id && stageTaken(state.current, keyId, plan);
      if (taken) {
        throw conflict(`API Key ${keyId} is in another Usage Plan of API Stage ${stageName(taken)}`);
      }
    }
  }

  return {
    CreateUsagePlan: operation(
      201,
      v.strictObject({ ...planSettings, tags: v.optional(tags) }),
      ({ tags: given, ...input }) => {
        checkStages(input);
        const plan: UsagePlan = {
          id: newPlanId(),
          from: "program",
          ...input,
          createdDate: now(),
          tags: given ?? {},
        };
        state.change({ usagePlans: [...state.current.usagePlans, plan] });
        return { ...view(plan), ...(given && { tags: given }) };
      },
    ),

    GetUsagePlan: operation(200, v.strictObject({ usagePlanId: v.string() }), ({ usagePlanId }) => {
      const plan = findPlan(context, usagePlanId);
      return { ...view(plan), tags: plan.tags };
    }),

    GetUsagePlans: operation(
      200,
      v.strictObject({ ...pageQuery, keyId: v.optional(v.string()) }),
      ({ keyId, ...query }) =>
        page(keyId === undefined ? state.current.usagePlans : plansOf(state.current, keyId), query, view),
    ),

    UpdateUsagePlan: operation(200, v.strictObject({ usagePlanId: v.string(), patchOperations }), (input) => {
      const draft: PlanDraft = findPlan(context, input.usagePlanId);
      const { id, from, createdDate, tags, ...changed } = patched(draft, input.patchOperations, planRules);
      const settings = parse(v.strictObject(planSettings), changed);
      const plan: UsagePlan = { id, from, createdDate, tags, ...settings };
      checkStages(settings);
      checkKeys(plan);
      state.change({ usagePlans: replaced(state.current.usagePlans, plan) });
      return { ...view(plan), tags };
    }),

    DeleteUsagePlan: operation(202, v.strictObject({ usagePlanId: v.string() }), ({ usagePlanId }) => {
      const { id, apiStages } = findPlan(context, usagePlanId);
      const [stage] = apiStages;
      if (stage) {
        throw badRequest(
          `Cannot delete Usage Plan ${id} because there are API Stages associated with it, including ${stageName(stage)}`,
        );
      }
      const { usagePlans, planKeys } = state.current;
      state.change({
        usagePlans: usagePlans.filter((plan) => plan.id !== id),
        planKeys: planKeys.filter((planKey) => planKey.usagePlanId !== id),
      });
      return undefined;
    }),
  };
}

/** A plan as every answer shows it. Its tags are not always told. */
function view({ from: _, createdDate: __, tags: ___, ...plan }: UsagePlan): object {
  return plan;
}
