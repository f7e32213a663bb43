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
  type Throttle,
  type Usage,
} from "./model.ts";
import { readUsage, type UsageTemplate } from "./read-usage.ts";
import { createUsagePlans, type UsagePlans } from "./usage-plans.ts";

export type UsageOptions = {
  store: Store;
  /** Receives a line for everything of an earlier run that the template no longer has a place for. */
  report: (line: string) => void;
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** The account's limit for all APIs and pushes together, if it is not that of AWS. */
  accountThrottle?: Throttle | undefined;
};

export type UsageService = {
  plans: UsagePlans;
  /** The API that changes keys and plans. */
  controlPlane: Route;
};

const NAME = "usage";

/**
 * Opens the keys and plans of the stacks, for all of their APIs.
 *
 * @throws StartupError if a part of them is not emulated
 */
export function openUsage(resources: Resources, options: UsageOptions): UsageService {
  const parts = resources.all.filter(({ type }) => /^AWS::ApiGateway(V2)?::/.test(type)).map(resolved);
  return createUsage(parts, options);
}

/**
 * The keys and plans of the template and of earlier runs. Every run starts with full buckets.
 *
 * @param resources of all stacks; others are ignored
 * @throws StartupError that names the resource and the part of it that is not emulated
 */
export function createUsage(
  resources: readonly ResolvedResource[],
  { store, report, now = Date.now, accountThrottle }: UsageOptions,
): UsageService {
  const template = readUsage(resources);
  const kept = store.load<Usage>(NAME) ?? noUsage;
  const usage = restore(template, kept, now(), report);
  const save = (next: Usage) => store.save(NAME, next);
  // A generated value must be the same in the next run.
  if (!isDeepStrictEqual(usage, kept)) save(usage);
  const state = createUsageState(usage, save);
  return {
    plans: createUsagePlans(state, now, accountThrottle),
    controlPlane: createControlPlane({ state, stages: template.stages, now }),
  };
}

/**
 * Merges the template with what programs created in earlier runs. A key of the template keeps its creation date and its
 * generated value.
 *
 * @param drop receives a line for everything of an earlier run that is left out
 */
function restore(template: UsageTemplate, kept: Usage, now: number, drop: (line: string) => void): Usage {
  const apiKeys = template.apiKeys.map(({ value, ...key }) => {
    const before = kept.apiKeys.find(({ id, from }) => id === key.id && from === "template");
    return {
      ...key,
      value: value ?? before?.value ?? newKeyValue(),
      createdDate: before?.createdDate ?? now,
    };
  });
  const usagePlans = [...template.usagePlans];

  const values = new Set(apiKeys.map(({ value }) => value));
  for (const key of kept.apiKeys.filter(ofPrograms)) {
    if (values.has(key.value)) drop(`dropped the API key ${key.id}: a key of the template has its value`);
    else apiKeys.push(key);
  }
  for (const plan of kept.usagePlans.filter(ofPrograms)) {
    const gone = plan.apiStages.map(stageName).filter((stage) => !template.stages.has(stage));
    for (const stage of gone) drop(`removed ${stage} from the usage plan ${plan.id}: there is no such stage`);
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
      drop(`removed the API key ${keyId} from the usage plan ${usagePlanId}: ${why}`);
    const taken = plan && stageTaken({ ...usage, planKeys }, keyId, plan);
    if (plan === undefined) leave("there is no such plan");
    else if (!usage.apiKeys.some(({ id }) => id === keyId)) leave("there is no such key");
    else if (taken) leave(`the key is in another plan of ${stageName(taken)}`);
    else if (!plansOf({ ...usage, planKeys }, keyId).includes(plan)) planKeys.push(planKey);
  }
  return { ...usage, planKeys };
}

function ofPrograms({ from }: { from: "template" | "program" }): boolean {
  return from === "program";
}
