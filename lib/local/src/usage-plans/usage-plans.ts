import {
  type ApiKey,
  type ApiStage,
  covers,
  plansOf,
  stageName,
  type Throttle,
  type UsagePlan,
  type UsageState,
} from "./model.ts";
import { createTokenBucket, type TokenBucket } from "./token-bucket.ts";

export type AdmissionRequest = ApiStage & {
  /** Value of the caller's key. Absent if no key is required; then no plan counts the request. */
  apiKey?: { value: string | undefined };
  /**
   * The method or route; `name` is e.g. `/pets/{id}/GET`. `throttle` is the stage's limit for all callers together.
   * Absent if no limit of a method can apply.
   */
  method?: { name: string; throttle?: Throttle | undefined } | undefined;
};

/** The decision on a request. `reason` describes the problem with a key, without its value. */
export type Admission =
  | { admitted: true }
  | { admitted: false; refusal: "INVALID_API_KEY"; reason: string }
  | { admitted: false; refusal: "THROTTLED"; reason?: undefined };

/** Decides which callers may call a stage, and how often. All APIs of a runner share one. */
export type UsagePlans = {
  /** Counts a request if it is admitted. A refused request counts against no limit. */
  admit(request: AdmissionRequest): Admission;
  /** Counts a call of `@connections`, to which only the account's limit applies. Returns false if it is reached. */
  admitPush: () => boolean;
  /** Finds the id of the key with that value. */
  identify(value: string): string | undefined;
};

/** An account's limit for all its APIs in a Region, and the default of a stage's throttles. */
export const accountThrottle: Throttle = { rateLimit: 10_000, burstLimit: 5_000 };

/**
 * @param now milliseconds since the epoch
 * @param throttle limits of the account
 */
export function createUsagePlans(
  state: UsageState,
  now: () => number = Date.now,
  throttle: Throttle = accountThrottle,
): UsagePlans {
  const account = createTokenBucket(throttle, now());
  const methods = new Map<string, TokenBucket>();
  const bucketOfKey = createKeyBuckets(state, now);

  const keyOf = (value: string) => state.current.apiKeys.find((key) => key.value === value);

  /** Finds the caller's key and its plan for the stage. Returns a text if the key is not valid. */
  function subscription(stage: ApiStage, value: string | undefined): Subscription | string {
    if (!value) return "the caller has no API key";
    const key = keyOf(value);
    if (key === undefined) return "the caller's API key does not exist";
    if (!key.enabled) return `the API key ${key.id} is disabled`;
    const plan = plansOf(state.current, key.id).find((each) => covers(each, stage));
    return plan ? { key, plan } : `the API key ${key.id} is in no usage plan of ${stageName(stage)}`;
  }

  return {
    identify: (value) => keyOf(value)?.id,

    admitPush() {
      const at = now();
      const admitted = account.hasRoom(at);
      if (admitted) account.count(at);
      return admitted;
    },

    admit({ apiKey, method, ...stage }) {
      const at = now();
      const caller = apiKey && subscription(stage, apiKey.value);
      if (typeof caller === "string") return { admitted: false, refusal: "INVALID_API_KEY", reason: caller };

      const ofKey = (name: string, throttleIn: ThrottleIn) =>
        caller && bucketOfKey(caller, { name, throttleIn }, at);
      const ofMethod = ({ name, throttle }: NonNullable<typeof method>) =>
        throttle && entry(methods, `${stageName(stage)} ${name}`, () => createTokenBucket(throttle, at));
      // Applies the limits in API Gateway's order: of the key for the method, of the key, of the method, of the account.
      const limits = [
        method &&
          ofKey(`${stageName(stage)} ${method.name}`, (plan) => methodThrottleIn(plan, stage, method.name)),
        // Covers all stages of the plan, as documented.
        ofKey("", ({ throttle }) => throttle),
        method && ofMethod(method),
        account,
      ].filter((limit) => limit !== undefined);
      if (limits.some((limit) => !limit.hasRoom(at))) return { admitted: false, refusal: "THROTTLED" };
      for (const limit of limits) limit.count(at);
      return { admitted: true };
    },
  };
}

type Subscription = { key: ApiKey; plan: UsagePlan };

/** Finds a limit that a plan sets for each of its keys. */
type ThrottleIn = (plan: UsagePlan) => Throttle | undefined;

const methodThrottleIn = ({ apiStages }: UsagePlan, stage: ApiStage, method: string) =>
  apiStages.find((covered) => stageName(covered) === stageName(stage))?.throttle?.[method];

const membership = (planId: string, keyId: string) => `${planId} ${keyId}`;

/** Keeps the buckets of keys: one for each key in a plan and each limit that the plan sets. */
function createKeyBuckets(state: UsageState, now: () => number) {
  const buckets = new Map<string, { bucket: TokenBucket; member: string; throttleIn: ThrottleIn }>();

  state.onChange(() => {
    const { usagePlans, planKeys } = state.current;
    const plans = new Map(usagePlans.map((plan) => [plan.id, plan]));
    const plansOfMembers = new Map(
      planKeys.map(({ usagePlanId, keyId }) => [membership(usagePlanId, keyId), plans.get(usagePlanId)]),
    );
    for (const [name, { bucket, member, throttleIn }] of buckets) {
      const plan = plansOfMembers.get(member);
      const throttle = plan && throttleIn(plan);
      if (throttle) bucket.adjust(throttle, now());
      else buckets.delete(name);
    }
  });

  return (
    { plan, key }: Subscription,
    { name, throttleIn }: { name: string; throttleIn: ThrottleIn },
    at: number,
  ): TokenBucket | undefined => {
    const throttle = throttleIn(plan);
    if (throttle === undefined) return undefined;
    const member = membership(plan.id, key.id);
    const make = () => ({ bucket: createTokenBucket(throttle, at), member, throttleIn });
    return entry(buckets, `${member} ${name}`, make).bucket;
  };
}

/** Returns an entry of a map, and creates it first if necessary. */
function entry<Value>(map: Map<string, Value>, name: string, make: () => Value): Value {
  const known = map.get(name);
  if (known !== undefined) return known;
  const created = make();
  map.set(name, created);
  return created;
}
