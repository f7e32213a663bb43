import { type Tier, tiers } from "../core/tier.ts";

/** Requests per minute of the tier plans. Each Enterprise customer has a plan with its own limit. */
export const requestsPerMinute = { Standard: 1000, Pro: 5000 } as const;

export type TierPlan = keyof typeof requestsPerMinute;

/** Highest limit of a plan. API Gateway accepts 10,000 requests a second from a whole account. */
export const maxRequestsPerMinute = 600_000;

/** A user's plan: a tier plan, or an Enterprise customer's own. */
export type Plan =
  | { name: TierPlan; requestsPerMinute: number }
  | { name: "Enterprise"; requestsPerMinute: number };

/** A token bucket: the number of tokens gained per second, and the maximum number that the bucket can contain. */
export type Throttle = { rateLimit: number; burstLimit: number };

/** Largest burst that API Gateway accepts from a whole account. */
const maxBurst = 5000;

/** Computes the throttle of a plan. All requests of a minute may come at once, up to API Gateway's burst limit. */
export const throttleOf = ({ requestsPerMinute }: { requestsPerMinute: number }): Throttle => ({
  rateLimit: requestsPerMinute / 60,
  burstLimit: Math.min(requestsPerMinute, maxBurst),
});

/**
 * Throttle of the shared plan. As long as there are no fallback keys, its only key serves all users without an active
 * key.
 */
export const sharedThrottle: Throttle = { rateLimit: 500, burstLimit: maxBurst };

/** Throttle for the messages on one connection. Usage plans count only connections, not messages. */
export const messageThrottle: Throttle = { rateLimit: 10, burstLimit: 50 };

/** Returns a user's plan. An Enterprise customer without a limit has the Pro plan. */
export function planOf(user: { tier: Tier; requestsPerMinute?: number | undefined }): Plan {
  const { plan } = tiers[user.tier];
  if (plan !== "Enterprise") return tierPlan(plan);
  return user.requestsPerMinute === undefined
    ? tierPlan("Pro")
    : { name: plan, requestsPerMinute: user.requestsPerMinute };
}

const tierPlan = (name: TierPlan): Plan => ({ name, requestsPerMinute: requestsPerMinute[name] });

/**
 * True if two plans accept the same keys. Compares limits only for Enterprise: if a tier plan gets a new limit, its
 * keys stay valid.
 */
export const samePlan = (a: Plan, b: Plan): boolean =>
  a.name === b.name && (a.name !== "Enterprise" || a.requestsPerMinute === b.requestsPerMinute);

/** True if two throttles are equal, ignoring the digits that API Gateway drops from a rate. */
export const sameThrottle = (
  { rateLimit = 0, burstLimit = 0 }: { [Part in keyof Throttle]?: number | undefined },
  wanted: Throttle,
): boolean => Math.abs(rateLimit - wanted.rateLimit) < 0.001 && burstLimit === wanted.burstLimit;
