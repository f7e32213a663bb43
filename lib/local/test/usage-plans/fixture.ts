import {
  type ApiKey,
  createUsageState,
  type Throttle,
  type Usage,
  type UsagePlan,
} from "../../src/usage-plans/model.ts";
import {
  type Admission,
  type AdmissionRequest,
  createUsagePlans,
} from "../../src/usage-plans/usage-plans.ts";

export const START = Date.UTC(2026, 10, 21, 9, 14);

/** Returns the value of the key with this id. */
export const secretOf = (id: string) => id.padEnd(20, "x");

export const live = { apiId: "Api", stage: "live" };
export const socket = { apiId: "Socket", stage: "live" };

export function key(id: string, changes: Partial<ApiKey> = {}): ApiKey {
  return { id, from: "program", value: secretOf(id), enabled: true, createdDate: START, ...changes };
}

export function plan(id: string, changes: Partial<UsagePlan> = {}): UsagePlan {
  return { id, from: "program", name: id, apiStages: [live], ...changes };
}

/** Creates keys and plans, with the keys of each plan as `{ plan: [key] }`. */
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

/** Creates plans with a clock that only moves when `pass` is called. */
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
    /** Admits a request with this key. Returns "ok" or the refusal. */
    ask: (id: string, changes: Partial<AdmissionRequest> = {}) =>
      outcome(plans.admit({ ...live, apiKey: { value: secretOf(id) }, ...changes })),
    /** Admits a request that requires no key. */
    askWithoutKey: (changes: Partial<AdmissionRequest> = {}) => outcome(plans.admit({ ...live, ...changes })),
  };
}

/** Options of a request for a method that the stage throttles. */
export const throttled = (throttle: Throttle, name = "/pets/GET") => ({ method: { name, throttle } });

function outcome(admission: Admission): "ok" | (Admission & { admitted: false })["refusal"] {
  return admission.admitted ? "ok" : admission.refusal;
}

/** Counts consecutive "ok" answers, up to a number above every limit. */
export function untilRefused(ask: () => string): number {
  let times = 0;
  while (times < 20_000 && ask() === "ok") times += 1;
  return times;
}
