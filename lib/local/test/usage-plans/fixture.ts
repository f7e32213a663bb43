import { type ApiKey, createUsageState, type Usage, type UsagePlan } from "../../src/usage-plans/model.ts";
import {
  type Admission,
  type AdmissionRequest,
  createUsagePlans,
} from "../../src/usage-plans/usage-plans.ts";

export const START = Date.UTC(2026, 10, 21, 9, 14);

/** The value of the key of that id. */
export const secretOf = (id: string) => id.padEnd(20, "x");

export const live = { apiId: "Api", stage: "live" };
export const socket = { apiId: "Socket", stage: "live" };

export function key(id: string, changes: Partial<ApiKey> = {}): ApiKey {
  return {
    id,
    from: "program",
    value: secretOf(id),
    enabled: true,
    createdDate: START,
    lastUpdatedDate: START,
    stageKeys: [],
    tags: {},
    ...changes,
  };
}

export function plan(id: string, changes: Partial<UsagePlan> = {}): UsagePlan {
  return { id, from: "program", name: id, apiStages: [live], createdDate: START, tags: {}, ...changes };
}

/** Keys and plans, and which key is in which plan, as `{ plan: [key] }`. */
export function usage(
  apiKeys: readonly ApiKey[],
  usagePlans: readonly UsagePlan[],
  members: Record<string, string[]>,
): Usage {
  const planKeys = Object.entries(members).flatMap(([usagePlanId, keyIds]) =>
    keyIds.map((keyId) => ({ from: "program" as const, usagePlanId, keyId })),
  );
  return { apiKeys, usagePlans, planKeys };
}

/** Plans under a clock that stands still until it is told to go on. */
export function underClock(initial: Usage) {
  let now = START;
  const state = createUsageState(initial);
  const plans = createUsagePlans(state, () => now);
  return {
    state,
    plans,
    pass: (ms: number) => {
      now += ms;
    },
    /** What becomes of a request for `GET /pets` with the key of that id: "ok" or the refusal. */
    ask: (id: string, changes: Partial<AdmissionRequest> = {}) =>
      outcome(plans.admit({ ...live, method: "/pets/GET", apiKey: { value: secretOf(id) }, ...changes })),
    /** The same where no key is required. */
    askWithoutKey: (changes: Partial<AdmissionRequest> = {}) =>
      outcome(plans.admit({ ...live, method: "/pets/GET", ...changes })),
  };
}

function outcome(admission: Admission): "ok" | (Admission & { admitted: false })["refusal"] {
  return admission.admitted ? "ok" : admission.refusal;
}

/** How often in a row something is "ok"; when that has no end, too often for any limit. */
export function untilRefused(ask: () => string): number {
  let times = 0;
  while (times < 20_000 && ask() === "ok") times += 1;
  return times;
}
