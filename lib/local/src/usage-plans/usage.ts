import { isDeepStrictEqual } from "node:util";
import { type ResolvedResource, resolved } from "../cloudformation/resource.ts";
import type { Resources } from "../cloudformation/resources.ts";
import { guarded, type ServiceRoute } from "../services.ts";
import type { Store } from "../storage/store.ts";
import { createControlPlane } from "./control-plane/control-plane.ts";
import { controlPlaneRights } from "./control-plane/rights.ts";
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
  /** Receives a line for each key, plan or membership of an earlier run that no longer fits the template. */
  report: (line: string) => void;
  /** Current time in milliseconds since the epoch. */
  now?: () => number;
  /** Overrides AWS's limit for all APIs and pushes together. */
  accountThrottle?: Throttle | undefined;
};

export type UsageService = {
  plans: UsagePlans;
  /** The API that changes keys and plans. */
  controlPlane: ServiceRoute;
};

const NAME = "usage";

/**
 * Opens the keys and plans of the stacks, for all of their APIs.
 *
 * @throws {StartupError} if something is not emulated
 */
export function openUsage(resources: Resources, options: UsageOptions): UsageService {
  const parts = resources.all.filter(({ type }) => /^AWS::ApiGateway(V2)?::/.test(type)).map(resolved);
  return createUsage(parts, options);
}

/**
 * Opens the keys and plans of the template and of earlier runs. Every run starts with full buckets.
 *
 * @param resources all resources of all stacks; those of other types are ignored
 * @throws {StartupError} if something is not emulated; the message names the resource and the property
 */
export function createUsage(
  resources: readonly ResolvedResource[],
  { store, report, now = Date.now, accountThrottle }: UsageOptions,
): UsageService {
  const template = readUsage(resources);
  const stored = store.load<Usage>(NAME) ?? noUsage;
  const usage = restore(template, stored, now(), report);
  const save = (next: Usage) => store.save(NAME, next);
  // Saves generated values, because the next run must find the same ones.
  if (!isDeepStrictEqual(usage, stored)) save(usage);
  const state = createUsageState(usage, save);
  const controlPlane = createControlPlane({ state, stages: template.stages, now, throttled: true });
  return {
    plans: createUsagePlans(state, now, accountThrottle),
    controlPlane: guarded(controlPlane, (request) => controlPlaneRights(state, request)),
  };
}

/**
 * Merges the template with the keys and plans that programs created in earlier runs. A key of the template keeps its
 * creation date and its generated value.
 *
 * @param drop receives a line for each key, plan or membership that is left out
 */
function restore(template: UsageTemplate, stored: Usage, now: number, drop: (line: string) => void): Usage {
  const apiKeys = template.apiKeys.map(({ value, ...key }) => {
    const before = stored.apiKeys.find(({ id, from }) => id === key.id && from === "template");
    return {
      ...key,
      value: value ?? before?.value ?? newKeyValue(),
      createdDate: before?.createdDate ?? now,
    };
  });
  const usagePlans = [...template.usagePlans];

  const values = new Set(apiKeys.map(({ value }) => value));
  for (const key of stored.apiKeys.filter(ofPrograms)) {
    if (values.has(key.value)) drop(`dropped the API key ${key.id}: a key of the template has its value`);
    else apiKeys.push(key);
  }
  for (const plan of stored.usagePlans.filter(ofPrograms)) {
    const gone = plan.apiStages.map(stageName).filter((stage) => !template.stages.has(stage));
    for (const stage of gone) drop(`removed ${stage} from the usage plan ${plan.id}: there is no such stage`);
    usagePlans.push({
      ...plan,
      apiStages: plan.apiStages.filter((stage) => !gone.includes(stageName(stage))),
    });
  }
  return restorePlanKeys({ apiKeys, usagePlans, planKeys: template.planKeys }, stored.planKeys, drop);
}

function restorePlanKeys(usage: Usage, stored: readonly PlanKey[], drop: (line: string) => void): Usage {
  const planKeys = [...usage.planKeys];
  for (const planKey of stored.filter(ofPrograms)) {
    const { keyId, usagePlanId } = planKey;
    const plan = usage.usagePlans.find(({ id }) => id === usagePlanId);
    const leave = (reason: string) =>
      drop(`removed the API key ${keyId} from the usage plan ${usagePlanId}: ${reason}`);
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
