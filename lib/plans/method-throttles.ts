import { type Plan, sameThrottle, type Throttle, throttleOf } from "./plan.ts";

/** Throttles of single methods, by path and method as API Gateway writes them: `/pets/{id}/GET`. */
export type MethodThrottles = Readonly<Record<string, Throttle>>;

const view = { rateLimit: 2, burstLimit: 40 };
const quote = { rateLimit: 5, burstLimit: 100 };
const keyWork = { rateLimit: 1, burstLimit: 30 };

/**
 * Throttles of a key of Standard for the methods that cost the service most: they ask hosts, read many candles, or use
 * KMS. Larger plans have more.
 */
const costly: MethodThrottles = {
  "/api/v2/markets/{chain}/{token}/GET": view,
  "/api/v2/markets/{chain}/{token}/candles/GET": view,
  "/api/v2/quotes/POST": quote,
  "/api/v2/orders/POST": quote,
  "/api/v2/balances/GET": quote,
  "/api/v2/tokens/{chain}/{token}/GET": view,
  "/storeWallet_v2/POST": keyWork,
  "/api/v2/wallets/POST": keyWork,
  "/api/v2/wallets/import/POST": keyWork,
  "/api/v2/wallets/{walletId}/export/POST": keyWork,
};

/**
 * Methods that stop a thief: cancel orders or an export, lock exports, freeze a wallet, sign out. Only these limits
 * and the account's own bind them, so that no crowd of accounts uses up a limit that owners share.
 */
export const guards: readonly string[] = [
  "/api/v2/orders/{orderId}/cancel/POST",
  "/api/v2/orders/cancel/POST",
  "/api/v2/wallets/{walletId}/export/DELETE",
  "/api/v2/lock/POST",
  "/api/v2/wallets/{walletId}/policy/PUT",
  "/api/v2/session/DELETE",
];

/** Throttle of a guard for a user's own key. */
export const guardThrottle: Throttle = { rateLimit: 5, burstLimit: 20 };

/** Throttle of a guard for a key that several users share. */
const sharedGuardThrottle: Throttle = { rateLimit: 50, burstLimit: 50 };

/** Number of times that a user's key may have Standard's throttles, as a key of Pro does. */
const mostShares = 5;

/** Number of times that a fallback key has Standard's throttles, because several of its users are there at once. */
const sharesOfFallback = 2;

type Sized = { requestsPerMinute: number };

/** Computes the throttles of single methods for each key of a tier's or a customer's plan. */
export function methodThrottlesOf(plan: Sized): MethodThrottles {
  const shares = Math.min(Math.max(1, plan.requestsPerMinute / 1000), mostShares);
  return within(throttleOf(plan), shares, guardThrottle);
}

/** The method of a request, as API Gateway tells authorizers. */
type Called = { httpMethod: string; resource: string };

/**
 * Builds the RateLimit-Policy header (draft-ietf-httpapi-ratelimit-headers-10): the policy of the user's plan, and that
 * of the method if it has a throttle of its own. A policy has a name, a quota of requests, and the seconds in which a
 * used quota comes back. The remaining quota is unknown.
 */
export function rateLimitPolicy(plan: Plan, { httpMethod, resource }: Called): string {
  const ofPlan = policy(plan.name.toLowerCase(), plan.requestsPerMinute, 60);
  const own = methodThrottlesOf(plan)[`${resource}/${httpMethod}`];
  if (own === undefined) return ofPlan;
  const { rateLimit, burstLimit } = own;
  // Ignores the rounding of fractions, which could add a second.
  const seconds = Math.ceil(Number((burstLimit / rateLimit).toFixed(3)));
  return `${ofPlan}, ${policy(`${httpMethod} ${resource}`, burstLimit, seconds)}`;
}

const policy = (name: string, quota: number, seconds: number) => `"${name}";q=${quota};w=${seconds}`;

/** Computes the throttles of single methods for each fallback key, whose plan is as large as Standard. */
export const fallbackMethodThrottles = (plan: Throttle): MethodThrottles =>
  within(plan, sharesOfFallback, sharedGuardThrottle);

/** Computes the throttles of the shared key, which serves all users while there are no fallback keys. */
export const sharedMethodThrottles = (plan: Throttle): MethodThrottles =>
  within(plan, plan.rateLimit * (60 / 1000), sharedGuardThrottle);

type Found = Readonly<Record<string, { [Part in keyof Throttle]?: Throttle[Part] | undefined }>>;

/** True if methods have exactly the wanted throttles, ignoring the digits that API Gateway drops. */
export const sameMethodThrottles = (
  found: Found | undefined,
  wanted: MethodThrottles | undefined,
): boolean => {
  const [before, after] = [Object.entries(found ?? {}), Object.entries(wanted ?? {})];
  return (
    before.length === after.length &&
    after.every(([method, throttle]) => sameThrottle(found?.[method] ?? {}, throttle))
  );
};

/** Multiplies the throttles, but lets no method have more than the whole plan. */
function within(plan: Throttle, shares: number, guard: Throttle): MethodThrottles {
  const most = ({ rateLimit, burstLimit }: Throttle): Throttle => ({
    rateLimit: Math.min(plan.rateLimit, rateLimit),
    burstLimit: Math.min(plan.burstLimit, Math.floor(burstLimit)),
  });
  const times = ({ rateLimit, burstLimit }: Throttle, factor: number) =>
    most({ rateLimit: rateLimit * factor, burstLimit: Math.max(1, burstLimit * factor) });
  return {
    ...Object.fromEntries(
      Object.entries(costly).flatMap(([method, throttle]) => {
        const own = [method, times(throttle, shares)] as const;
        // Gives a HEAD a tenth, like the stage.
        const head = [method.replace(/GET$/, "HEAD"), times(throttle, shares / 10)] as const;
        return method.endsWith("/GET") ? [own, head] : [own];
      }),
    ),
    ...Object.fromEntries(guards.map((method) => [method, most(guard)])),
  };
}
