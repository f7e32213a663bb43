import { isDeepStrictEqual } from "node:util";
import type { Route } from "../http/handle.ts";
import type { ResolvedResource } from "../rest-api/resolved-resource.ts";
import type { Store } from "../storage/store.ts";
import { createControlPlane } from "./control-plane/control-plane.ts";
import { noUsage, type Usage } from "./model.ts";
import { readUsage } from "./read-usage.ts";
import { restore } from "./restore.ts";
import { createUsagePlans, type UsagePlans } from "./usage-plans.ts";
import { createUsageState } from "./usage-state.ts";

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
