import * as v from "valibot";
import { newPlanId, stageName, type Throttle, type UsagePlan } from "../model.ts";
import { throttledMethod } from "../read-usage.ts";
import {
  badRequest,
  type Context,
  findPlan,
  notFound,
  operation,
  page,
  pageQuery,
  parse,
  tags,
} from "./operation.ts";

const throttle = v.strictObject({
  rateLimit: v.pipe(v.number(), v.finite(), v.minValue(0)),
  burstLimit: v.pipe(v.number(), v.integer(), v.minValue(0)),
});

const newPlan = v.strictObject({
  name: v.pipe(v.string(), v.minLength(1)),
  apiStages: v.pipe(
    v.optional(
      v.array(
        v.strictObject({
          apiId: v.string(),
          stage: v.string(),
          throttle: v.optional(v.record(throttledMethod, throttle)),
        }),
      ),
      [],
    ),
    v.check(
      (stages) => new Set(stages.map(stageName)).size === stages.length,
      "An API Stage can be in a Usage Plan only once",
    ),
  ),
  throttle: v.optional(throttle),
  tags: v.optional(tags),
});

const patchOperation = v.strictObject({
  op: v.string(),
  path: v.string(),
  value: v.optional(v.string(), ""),
});

export function usagePlanOperations(context: Context) {
  const { state, stages } = context;
  return {
    CreateUsagePlan: operation(201, newPlan, (input) => {
      const unknown = input.apiStages.map(stageName).find((name) => !stages.has(name));
      if (unknown) throw notFound(`API Stage not found: ${unknown}`);
      const plan: UsagePlan = { id: newPlanId(), from: "program", ...input };
      state.change({ usagePlans: [...state.current.usagePlans, plan] });
      return view(plan);
    }),

    GetUsagePlan: operation(200, v.strictObject({ usagePlanId: v.string() }), ({ usagePlanId }) =>
      view(findPlan(context, usagePlanId)),
    ),

    GetUsagePlans: operation(200, v.strictObject(pageQuery), (query) =>
      page(state.current.usagePlans, query, view),
    ),

    UpdateUsagePlan: operation(
      200,
      v.strictObject({ usagePlanId: v.string(), patchOperations: v.optional(v.array(patchOperation), []) }),
      ({ usagePlanId, patchOperations }) => {
        const found = findPlan(context, usagePlanId);
        const changed = patchOperations.reduce<PlanDraft>(patched, found);
        const plan: UsagePlan = {
          ...changed,
          throttle: parse(v.object({ throttle: v.optional(throttle) }), changed).throttle,
        };
        state.change({ usagePlans: state.current.usagePlans.map((each) => (each === found ? plan : each)) });
        return view(plan);
      },
    ),

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

/** A plan between two patch operations. Its throttle may still be incomplete. */
type PlanDraft = Omit<UsagePlan, "throttle"> & { throttle?: Partial<Throttle> | undefined };

/** @throws {ControlPlaneError} BadRequestException if the operation is not emulated */
function patched(plan: PlanDraft, { op, path, value }: v.InferOutput<typeof patchOperation>): PlanDraft {
  switch (`${op} ${path}`) {
    case "replace /throttle/rateLimit":
      return { ...plan, throttle: { ...plan.throttle, rateLimit: readNumber(value) } };
    case "replace /throttle/burstLimit":
      return { ...plan, throttle: { ...plan.throttle, burstLimit: readNumber(value) } };
    case "remove /apiStages":
      return withoutStage(plan, value);
  }
  throw badRequest(`the patch operation '${op}' of '${path}' is not emulated`);
}

/** Reads a number. Other text becomes NaN, which the check of the complete plan rejects. */
function readNumber(text: string): number {
  return text.trim() === "" ? Number.NaN : Number(text);
}

function withoutStage(plan: PlanDraft, name: string): PlanDraft {
  const [, api, stage] = /^([^:]+):([^:]+)$/.exec(name) ?? [];
  if (api === undefined) throw badRequest("Invalid API Stage specified");
  const apiStages = plan.apiStages.filter((known) => stageName(known) !== name);
  if (apiStages.length < plan.apiStages.length) return { ...plan, apiStages };
  throw notFound(`Invalid API Stage {api: ${api}, stage: ${stage}} specified for usageplan ${plan.id}`);
}

function view({ id, name, description, apiStages, throttle: limits, tags }: UsagePlan): object {
  return { id, name, description, apiStages, throttle: limits, tags };
}
