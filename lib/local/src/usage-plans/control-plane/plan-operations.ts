import * as v from "valibot";
import {
  type ApiStage,
  newPlanId,
  periods,
  plansOf,
  type Quota,
  stageName,
  stageTaken,
  type Throttle,
  type UsagePlan,
} from "../model.ts";
import {
  badRequest,
  type Context,
  conflict,
  findPlan,
  notFound,
  operation,
  type PatchRule,
  page,
  pageQuery,
  parse,
  patched,
  patchOperations,
  replaced,
} from "./operation.ts";
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

type DraftStage = Omit<ApiStage, "throttle"> & { throttle?: Record<string, Partial<Throttle>> | undefined };

/** A plan between two operations of a patch: a throttle or quota may lack what the next operation gives. */
export type PlanDraft = Omit<UsagePlan, "apiStages" | "throttle" | "quota"> & {
  apiStages: readonly DraftStage[];
  throttle?: Partial<Throttle> | undefined;
  quota?: (Partial<Omit<Quota, "period">> & { period?: string }) | undefined;
};

const STAGE = "/apiStages/<apidId:stageName>/throttle";
const METHOD = `${STAGE}/<resourcePath>/<httpMethod>`;

const write = ["add", "replace"] as const;

export const planRules: PatchRule<PlanDraft>[] = [
  { ops: ["replace"], path: "/name", apply: (plan, name) => ({ ...plan, name }) },
  { ops: ["replace"], path: "/description", apply: (plan, description) => ({ ...plan, description }) },
  { ops: write, path: "/productCode", apply: (plan, productCode) => ({ ...plan, productCode }) },
  { ops: ["add"], path: "/apiStages", apply: addStage },
  { ops: ["remove"], path: "/apiStages", apply: removeStage },
  ...(["rateLimit", "burstLimit"] as const).flatMap((field): PatchRule<PlanDraft>[] => [
    {
      ops: write,
      path: `/throttle/${field}`,
      apply: (plan, value) => ({ ...plan, throttle: { ...plan.throttle, [field]: number(value) } }),
    },
    {
      ops: write,
      path: `${METHOD}/${field}`,
      apply: (plan, value, stage, path, method) =>
        inStage(plan, stage, (throttles) => {
          const name = `${path}/${method}`;
          return { ...throttles, [name]: { ...throttles[name], [field]: number(value) } };
        }),
    },
  ]),
  ...(["limit", "offset"] as const).map(
    (field): PatchRule<PlanDraft> => ({
      ops: write,
      path: `/quota/${field}`,
      apply: (plan, value) => ({ ...plan, quota: { ...plan.quota, [field]: number(value) } }),
    }),
  ),
  {
    ops: write,
    path: "/quota/period",
    apply: (plan, period) => ({ ...plan, quota: { ...plan.quota, period } }),
  },
  { ops: ["remove"], path: "/quota", apply: (plan) => ({ ...plan, quota: undefined }) },
  { ops: ["remove"], path: "/throttle", apply: (plan) => ({ ...plan, throttle: undefined }) },
  { ops: ["remove"], path: "/productCode", apply: (plan) => ({ ...plan, productCode: undefined }) },
  {
    ops: ["remove"],
    path: METHOD,
    apply: (plan, _, stage, path, method) =>
      inStage(plan, stage, ({ [`${path}/${method}`]: __, ...others }) => others),
  },
  { ops: ["remove"], path: STAGE, apply: (plan, _, stage) => inStage(plan, stage, () => undefined) },
];

/** What is no number is refused when the plan is complete. */
function number(value: string): number {
  return value.trim() === "" ? Number.NaN : Number(value);
}

function readStage(value: string): DraftStage {
  const [, apiId, stage] = /^([^:]+):([^:]+)$/.exec(value) ?? [];
  if (apiId === undefined || stage === undefined) throw badRequest("Invalid API Stage specified");
  return { apiId, stage };
}

function addStage(plan: PlanDraft, value: string): PlanDraft {
  const stage = readStage(value);
  if (plan.apiStages.some((known) => stageName(known) === value)) {
    throw conflict(`API Stage ${value} is in the Usage Plan ${plan.id} already`);
  }
  return { ...plan, apiStages: [...plan.apiStages, stage] };
}

function removeStage(plan: PlanDraft, value: string): PlanDraft {
  findStage(plan, value);
  return { ...plan, apiStages: plan.apiStages.filter((stage) => stageName(stage) !== value) };
}

function inStage(
  plan: PlanDraft,
  name: string | undefined,
  change: (throttles: Record<string, Partial<Throttle>>) => DraftStage["throttle"],
): PlanDraft {
  const stage = findStage(plan, name ?? "");
  const changed = { ...stage, throttle: change(stage.throttle ?? {}) };
  return { ...plan, apiStages: plan.apiStages.map((each) => (each === stage ? changed : each)) };
}

function findStage(plan: PlanDraft, name: string): DraftStage {
  const { apiId, stage } = readStage(name);
  const found = plan.apiStages.find((known) => stageName(known) === name);
  if (found) return found;
  throw notFound(`Invalid API Stage {api: ${apiId}, stage: ${stage}} specified for usageplan ${plan.id}`);
}

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** A throttle that may still lack a part, which a patch can give. */
const throttle = v.strictObject({
  rateLimit: v.pipe(v.number(), v.finite(), v.minValue(0)),
  burstLimit: count,
});

/** What can be changed of a plan, once it is complete. */
export const planSettings = {
  name: v.pipe(v.string(), v.minLength(1)),
  description: v.optional(v.string()),
  productCode: v.optional(v.string()),
  apiStages: v.pipe(
    v.optional(
      v.array(
        v.strictObject({
          apiId: v.string(),
          stage: v.string(),
          throttle: v.optional(v.record(v.string(), throttle)),
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
  quota: v.optional(
    v.strictObject({ limit: count, offset: v.optional(count, 0), period: v.picklist(periods) }),
  ),
};

const completePlan = v.object(planSettings);
export type PlanSettings = v.InferOutput<typeof completePlan>;
