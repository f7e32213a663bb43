import { isDeepStrictEqual } from "node:util";
import { type ResolvedResource, resolved } from "../cloudformation/resource.ts";
import type { Resources } from "../cloudformation/resources.ts";
import type { Route } from "../http/messages.ts";
import type { Store } from "../storage/store.ts";
import { createControlPlane } from "./control-plane/control-plane.ts";
import {
  createUsageState,
  newKeyValue,
  noUsage,
  type PlanKey,
  plansOf,
  stageName,
  stageTaken,
  type Usage,
  type UsagePlan,
} from "./model.ts";
import { readUsage, type UsageTemplate } from "./read-usage.ts";
import { createUsagePlans, type UsagePlans } from "./usage-plans.ts";

export type UsageOptions = {
  store: Store;
  /** Hears what of an earlier run has no place any more. */
  report: (line: string) => void;
  /** Milliseconds since the epoch. */
  now?: () => number;
};

export type UsageService = {
  plans: UsagePlans;
  /** The API that changes keys and plans. */
  controlPlane: Route;
};

const NAME = "usage";

/**
 * The keys and plans of the template and of earlier runs. Buckets and counts begin anew with each run.
 *
 * @param resources of all stacks; any others may be among them
 * @throws Error that names the resource and what of it is not emulated
 */
export function createUsage(
  resources: readonly ResolvedResource[],
  { store, report, now = Date.now }: UsageOptions,
): UsageService {
  const template = readUsage(resources);
  const kept = store.load<Usage>(NAME) ?? noUsage;
  const usage = restore(template, kept, now(), report);
  const save = (next: Usage) => store.save(NAME, next);
  // What was generated has to be the same next time.
  if (!isDeepStrictEqual(usage, kept)) save(usage);
  const state = createUsageState(usage, save);
  return {
    plans: createUsagePlans(state, now),
    controlPlane: createControlPlane({ state, stages: template.stages, now }),
  };
}

/**
 * The keys and plans to begin with: those of the template, and those that programs have made in earlier runs.
 * What only the first run could know of the template's is carried over: when a thing was made, and a generated value.
 *
 * @param drop hears of whatever of the earlier runs has no place any more
 */
export function restore(
  template: UsageTemplate,
  kept: Usage,
  now: number,
  drop: (line: string) => void,
): Usage {
  const before = <Thing extends { id: string; from: string }>(things: readonly Thing[], id: string) =>
    things.find((thing) => thing.id === id && thing.from === "template");

  const apiKeys = template.apiKeys.map(({ value, ...key }) => {
    const { createdDate = now, value: generated } = before(kept.apiKeys, key.id) ?? {};
    return { ...key, value: value ?? generated ?? newKeyValue(), createdDate, lastUpdatedDate: createdDate };
  });
  const usagePlans: UsagePlan[] = template.usagePlans.map((plan) => {
    return { ...plan, createdDate: before(kept.usagePlans, plan.id)?.createdDate ?? now };
  });

  const values = new Set(apiKeys.map(({ value }) => value));
  for (const key of kept.apiKeys.filter(ofPrograms)) {
    if (values.has(key.value)) drop(`the API key ${key.id} is gone, as the template has one of its value`);
    else apiKeys.push(key);
  }
  for (const plan of kept.usagePlans.filter(ofPrograms)) {
    const gone = plan.apiStages.map(stageName).filter((stage) => !template.stages.has(stage));
    for (const stage of gone) drop(`the usage plan ${plan.id} is no longer of ${stage}, which is gone`);
    usagePlans.push({
      ...plan,
      apiStages: plan.apiStages.filter((stage) => !gone.includes(stageName(stage))),
    });
  }
  return restorePlanKeys({ apiKeys, usagePlans, planKeys: template.planKeys }, kept.planKeys, drop);
}

function restorePlanKeys(usage: Usage, kept: readonly PlanKey[], drop: (line: string) => void): Usage {
  const planKeys = [...usage.planKeys];
  for (const planKey of kept.filter(ofPrograms)) {
    const { keyId, usagePlanId } = planKey;
    const plan = usage.usagePlans.find(({ id }) => id === usagePlanId);
    const leave = (why: string) =>
      drop(`the API key ${keyId} is no longer in the usage plan ${usagePlanId}, ${why}`);
    const taken = plan && stageTaken({ ...usage, planKeys }, keyId, plan);
    if (plan === undefined) leave("which is gone");
    else if (!usage.apiKeys.some(({ id }) => id === keyId)) leave("as there is no such key");
    else if (taken) leave(`as it is in another of ${stageName(taken)}`);
    else if (!plansOf({ ...usage, planKeys }, keyId).includes(plan)) planKeys.push(planKey);
  }
  return { ...usage, planKeys };
}

function ofPrograms({ from }: { from: "template" | "program" }): boolean {
  return from === "program";
}

/**
 * The keys and plans of the stacks, for all of their APIs.
 * @throws StartupError when something of them is not emulated
 */
export function openUsage(resources: Resources, options: UsageOptions): UsageService {
  const parts = resources.all.filter(({ type }) => /^AWS::ApiGateway(V2)?::/.test(type)).map(resolved);
  return createUsage(parts, options);
}
