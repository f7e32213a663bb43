import { type Tier, tiers } from "./tier.ts";

/** The requests per minute of the tier plans. Each Enterprise customer has a plan with a limit of its own. */
export const requestsPerMinute = { Standard: 1000, Pro: 5000 } as const;

export type TierPlan = keyof typeof requestsPerMinute;

/** The most that a customer can have: an account answers 10,000 requests a second, whoever calls. */
export const mostRequestsPerMinute = 600_000;

/** What a user may call for: a plan of many, or one of their own with so many requests a minute. */
export type Plan =
  | { name: TierPlan; requestsPerMinute: number }
  | { name: "Enterprise"; requestsPerMinute: number };

/** A token bucket: how many tokens it gains a second, and how many it holds. */
export type Throttle = { rateLimit: number; burstLimit: number };

/** A full minute's requests may come at once; the bucket is full again after a minute. */
export const throttleOf = ({ requestsPerMinute }: { requestsPerMinute: number }): Throttle => ({
  rateLimit: requestsPerMinute / 60,
  burstLimit: requestsPerMinute,
});

/** For all users together who have no active key of their own yet. */
export const fallbackThrottle: Throttle = { rateLimit: 500, burstLimit: 5000 };

/** Seconds until API Gateway surely knows a new key on its plan. */
export const keyGraceSeconds = 120;

/** The plan of a user. An Enterprise customer whose number was never set has Pro's. */
export function planOf(user: { tier: Tier; requestsPerMinute?: number | undefined }): Plan {
  const { plan } = tiers[user.tier];
  if (plan !== "Enterprise") return tierPlan(plan);
  return user.requestsPerMinute === undefined
    ? tierPlan("Pro")
    : { name: plan, requestsPerMinute: user.requestsPerMinute };
}

const tierPlan = (name: TierPlan): Plan => ({ name, requestsPerMinute: requestsPerMinute[name] });

export const samePlan = (a: Plan, b: Plan): boolean =>
  a.name === b.name && a.requestsPerMinute === b.requestsPerMinute;

/** Whether a bucket is as it should be, but for what its fractions may lose on the way to API Gateway and back. */
export const sameThrottle = (
  { rateLimit = 0, burstLimit = 0 }: { [Part in keyof Throttle]?: number | undefined },
  wanted: Throttle,
): boolean => Math.abs(rateLimit - wanted.rateLimit) < 0.001 && burstLimit === wanted.burstLimit;
