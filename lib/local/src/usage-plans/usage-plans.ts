import { createMeter, type Meter } from "./meter.ts";
import {
  type ApiKey,
  covers,
  plansOf,
  stageName,
  type Throttle,
  type UsagePlan,
  type UsageState,
} from "./model.ts";
import { createTokenBucket, type TokenBucket } from "./token-bucket.ts";

export type AdmissionRequest = {
  apiId: string;
  stage: string;
  /** A method as usage plans write it, e.g. `/pets/{id}/GET`, or the key of a route, e.g. `$connect`. */
  method: string;
  /** The value of the caller's key, if any. Left out where no key is required: then no plan counts the request. */
  apiKey?: { value: string | undefined };
  /** What the stage allows of the method, whoever calls. */
  throttle?: Throttle | undefined;
};

export type Admission =
  | { admitted: true; apiKeyId?: string }
  | { admitted: false; refusal: "INVALID_API_KEY"; reason: string }
  | { admitted: false; refusal: "THROTTLED" | "QUOTA_EXCEEDED"; apiKeyId?: string };

/** Who may call which stage, and how often. All APIs of a runner share one. */
export type UsagePlans = {
  /** Counts a request, or tells why it must not go on. A request that is refused counts nowhere. */
  admit(request: AdmissionRequest): Admission;
  /** The id of the key of that value. */
  identify(value: string): string | undefined;
};

/** What an account may request of all its APIs in a Region; also what a stage's settings leave open. */
export const accountThrottle: Throttle = { rateLimit: 10_000, burstLimit: 5_000 };

/** @param now milliseconds since the epoch */
export function createUsagePlans(state: UsageState, now: () => number = Date.now): UsagePlans {
  const account = createTokenBucket(accountThrottle, now());
  const stages = new Map<string, TokenBucket>();
  const meters = new Map<string, Meter>();

  state.onChange(() => {
    const { usagePlans, planKeys } = state.current;
    const plans = new Map(usagePlans.map((plan) => [plan.id, plan]));
    const kept = new Map(
      planKeys.map(({ usagePlanId, keyId }) => [meterName(usagePlanId, keyId), plans.get(usagePlanId)]),
    );
    for (const [name, meter] of meters) {
      const plan = kept.get(name);
      if (plan) meter.adjust(plan, now());
      else meters.delete(name);
    }
  });

  const keyOf = (value: string) => state.current.apiKeys.find((key) => key.value === value);

  /** The caller's key and its plan for the stage, or what is wrong with the key. */
  function subscription(
    { apiId, stage }: AdmissionRequest,
    value: string | undefined,
  ): Subscription | string {
    if (!value) return "the caller has no API key";
    const key = keyOf(value);
    if (key === undefined) return "the caller's API key does not exist";
    if (!key.enabled) return `the API key ${key.id} is disabled`;
    const plan = plansOf(state.current, key.id).find((each) => covers(each, { apiId, stage }));
    return plan ? { key, plan } : `the API key ${key.id} is in no usage plan of ${apiId}:${stage}`;
  }

  function meterOf({ key, plan }: Subscription, at: number): Meter {
    return entry(meters, meterName(plan.id, key.id), () => createMeter(plan, at));
  }

  return {
    identify: (value) => keyOf(value)?.id,

    admit(request) {
      const at = now();
      const { apiId, stage, method, apiKey, throttle } = request;
      const caller = apiKey && subscription(request, apiKey.value);
      if (typeof caller === "string") return { admitted: false, refusal: "INVALID_API_KEY", reason: caller };

      const limits = [
        ...(caller ? meterOf(caller, at).limits(apiId, stage, method) : []),
        ...(throttle
          ? [entry(stages, `${stageName(request)} ${method}`, () => createTokenBucket(throttle, at))]
          : []),
        account,
      ];
      const who = caller && { apiKeyId: caller.key.id };
      const reached = limits.find((limit) => !limit.hasRoom(at));
      if (reached) return { admitted: false, refusal: reached.refusal, ...who };
      for (const limit of limits) limit.count(at);
      return { admitted: true, ...who };
    },
  };
}

type Subscription = { key: ApiKey; plan: UsagePlan };

const meterName = (planId: string, keyId: string) => `${planId} ${keyId}`;

/** The entry of a map, made when it is first asked for. */
function entry<Value>(map: Map<string, Value>, name: string, make: () => Value): Value {
  const known = map.get(name);
  if (known !== undefined) return known;
  const made = make();
  map.set(name, made);
  return made;
}
