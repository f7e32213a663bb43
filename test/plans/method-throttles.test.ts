import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { servedMethods } from "../../lib/operations/operations.ts";
import {
  fallbackMethodThrottles,
  guards,
  methodThrottlesOf,
  rateLimitPolicy,
  sameMethodThrottles,
  sharedMethodThrottles,
} from "../../lib/plans/method-throttles.ts";
import {
  maxRequestsPerMinute,
  planOf,
  requestsPerMinute,
  sharedThrottle,
  throttleOf,
} from "../../lib/plans/plan.ts";

const standard = { requestsPerMinute: requestsPerMinute.Standard };
const pro = { requestsPerMinute: requestsPerMinute.Pro };

const charts = "/api/v2/markets/{chain}/{token}/candles/GET";

describe("methodThrottlesOf", () => {
  it("names only methods that API Gateway serves, and a HEAD for each GET", () => {
    const served = servedMethods.map(({ path, method }) => `${path}/${method}`);
    const methods = Object.keys(methodThrottlesOf(standard));
    expect(served).toEqual(expect.arrayContaining(methods));
    for (const method of methods.filter((each) => each.endsWith("/GET")))
      expect(methods).toContain(method.replace(/GET$/, "HEAD"));
  });

  it("names at most 20 methods in any plan", () => {
    // API Gateway is believed to refuse a plan with more settings of methods per stage, which would end all new plans.
    for (const throttles of [
      methodThrottlesOf(standard),
      methodThrottlesOf(pro),
      fallbackMethodThrottles(throttleOf(standard)),
      sharedMethodThrottles(sharedThrottle),
    ])
      expect(Object.keys(throttles).length).toBeLessThanOrEqual(20);
  });

  it("gives a key of Pro five times the charts of Standard, and a customer no more", () => {
    expect(methodThrottlesOf(standard)[charts]).toEqual({ rateLimit: 2, burstLimit: 40 });
    expect(methodThrottlesOf(pro)[charts]).toEqual({ rateLimit: 10, burstLimit: 200 });
    expect(methodThrottlesOf({ requestsPerMinute: maxRequestsPerMinute })).toEqual(methodThrottlesOf(pro));
  });

  it("gives a HEAD a tenth of its GET", () => {
    const throttles = methodThrottlesOf(standard);
    expect(throttles[charts.replace("GET", "HEAD")]).toEqual({ rateLimit: 0.2, burstLimit: 4 });
  });

  it("gives each key five of a guard a second and 20 at once, or 50 if several users share it", () => {
    const fallback = fallbackMethodThrottles(throttleOf(standard));
    const shared = sharedMethodThrottles(sharedThrottle);
    for (const guard of guards) {
      expect(methodThrottlesOf(standard)[guard]).toEqual({ rateLimit: 5, burstLimit: 20 });
      expect(methodThrottlesOf(pro)[guard]).toEqual({ rateLimit: 5, burstLimit: 20 });
      expect(fallback[guard]).toEqual({ rateLimit: 1000 / 60, burstLimit: 50 });
      expect(shared[guard]).toEqual({ rateLimit: 50, burstLimit: 50 });
    }
  });

  it("gives a customer's plan of any size throttles that API Gateway accepts, none above the plan's own", () => {
    const sizes = fc.integer({ min: 1, max: maxRequestsPerMinute });
    fc.assert(
      fc.property(sizes, (number) => {
        const plan = throttleOf({ requestsPerMinute: number });
        for (const { rateLimit, burstLimit } of Object.values(
          methodThrottlesOf({ requestsPerMinute: number }),
        )) {
          expect(rateLimit).toBeGreaterThan(0);
          expect(rateLimit).toBeLessThanOrEqual(plan.rateLimit);
          expect(burstLimit).toBeGreaterThanOrEqual(1);
          expect(burstLimit).toBeLessThanOrEqual(plan.burstLimit);
          expect(Number.isInteger(burstLimit)).toBe(true);
        }
      }),
    );
  });
});

describe("rateLimitPolicy", () => {
  const base = planOf({ tier: "Base" });
  const quotes = { httpMethod: "POST", resource: "/api/v2/quotes" };

  it.each([
    [base, "POST", "/api/v2/quotes", '"standard";q=1000;w=60, "POST /api/v2/quotes";q=100;w=20'],
    [base, "HEAD", "/api/v2/balances", '"standard";q=1000;w=60, "HEAD /api/v2/balances";q=10;w=20'],
    [base, "POST", "/api/v2/lock", '"standard";q=1000;w=60, "POST /api/v2/lock";q=20;w=4'],
    [base, "GET", "/listWallets", '"standard";q=1000;w=60'],
    [
      planOf({ tier: "Pro" }),
      "POST",
      "/api/v2/wallets",
      '"pro";q=5000;w=60, "POST /api/v2/wallets";q=150;w=30',
    ],
  ] as const)("names the limits of %j for %s %s", (plan, httpMethod, resource, policies) => {
    expect(rateLimitPolicy(plan, { httpMethod, resource })).toBe(policies);
  });

  it("promises no more requests than the throttle of a method admits, whatever the customer's plan", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: maxRequestsPerMinute }), (number) => {
        const plan = planOf({ tier: "Enterprise", requestsPerMinute: number });
        const [, quota, seconds] = / "POST .*";q=(\d+);w=(\d+)$/.exec(rateLimitPolicy(plan, quotes)) ?? [];
        const { rateLimit = 0, burstLimit } = methodThrottlesOf(plan)["/api/v2/quotes/POST"] ?? {};
        expect(Number(quota)).toBe(burstLimit);
        expect(Number(quota) / Number(seconds)).toBeLessThan(rateLimit * 1.001);
        expect(Number(quota) / (Number(seconds) - 1)).toBeGreaterThan(rateLimit);
      }),
    );
  });
});

describe("sameMethodThrottles", () => {
  const wanted = methodThrottlesOf(standard);

  it("ignores the digits that API Gateway drops", () => {
    const cut = Object.entries(wanted).map(([method, { rateLimit, burstLimit }]) => [
      method,
      { rateLimit: Math.fround(rateLimit), burstLimit },
    ]);
    expect(sameMethodThrottles(Object.fromEntries(cut), wanted)).toBe(true);
    expect(sameMethodThrottles(undefined, undefined)).toBe(true);
  });

  it.each([
    ["another burst", { ...wanted, [charts]: { rateLimit: 2, burstLimit: 41 } }],
    ["half a throttle", { ...wanted, [charts]: { rateLimit: 2 } }],
    ["another method", { ...wanted, "/listWallets/GET": { rateLimit: 2, burstLimit: 40 } }],
    ["no throttles", undefined],
  ])("notices %s", (_, found) => {
    expect(sameMethodThrottles(found, wanted)).toBe(false);
  });
});
