import { type ApiStage, type Quota, stageName, type Throttle, type UsagePlan } from "../model.ts";
import { badRequest, conflict, notFound } from "./control-plane-error.ts";
import type { PatchRule } from "./patch.ts";

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
