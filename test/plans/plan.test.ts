import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maxRequestsPerMinute, planOf, samePlan, sameThrottle, throttleOf } from "../../lib/plans/plan.ts";

const requests = fc.integer({ min: 1, max: maxRequestsPerMinute });

describe("planOf", () => {
  it.each([
    [{ tier: "Base" }, { name: "Standard", requestsPerMinute: 1000 }],
    [{ tier: "Pro" }, { name: "Pro", requestsPerMinute: 5000 }],
    [
      { tier: "Enterprise", requestsPerMinute: 20_000 },
      { name: "Enterprise", requestsPerMinute: 20_000 },
    ],
    [{ tier: "Enterprise" }, { name: "Pro", requestsPerMinute: 5000 }],
    // A former tier has left this limit behind.
    [
      { tier: "Base", requestsPerMinute: 20_000 },
      { name: "Standard", requestsPerMinute: 1000 },
    ],
  ] as const)("maps the user %j to the plan %j", (user, plan) => {
    expect(planOf(user)).toEqual(plan);
  });
});

describe("samePlan", () => {
  it("ignores a limit of a tier plan that comes from an earlier deployment", () => {
    const earlier = { name: "Standard", requestsPerMinute: 600 } as const;
    expect(samePlan(earlier, planOf({ tier: "Base" }))).toBe(true);
    expect(samePlan(earlier, planOf({ tier: "Pro" }))).toBe(false);
  });

  it("compares the names of plans, and also the limits of customers' plans", () => {
    const pro = planOf({ tier: "Pro" });
    const own = (requestsPerMinute: number) => planOf({ tier: "Enterprise", requestsPerMinute });
    expect(samePlan(own(5000), own(5000))).toBe(true);
    expect(samePlan(own(5000), own(5001))).toBe(false);
    expect(samePlan(own(5000), pro)).toBe(false);
  });
});

describe("throttleOf", () => {
  it("allows a minute's requests every minute, and at most the account's burst at once", () => {
    fc.assert(
      fc.property(requests, (requestsPerMinute) => {
        const { rateLimit, burstLimit } = throttleOf({ requestsPerMinute });
        expect(rateLimit * 60).toBeCloseTo(requestsPerMinute, 6);
        expect(burstLimit).toBe(Math.min(requestsPerMinute, 5000));
      }),
    );
  });
});

describe("sameThrottle", () => {
  it("ignores the digits that API Gateway drops, but no other difference", () => {
    fc.assert(
      fc.property(requests, requests, (a, b) => {
        const [wanted, other] = [throttleOf({ requestsPerMinute: a }), throttleOf({ requestsPerMinute: b })];
        const cut = { ...wanted, rateLimit: Math.fround(wanted.rateLimit) };
        expect(sameThrottle(cut, wanted)).toBe(true);
        expect(sameThrottle(other, wanted)).toBe(a === b);
        expect(sameThrottle({ ...wanted, rateLimit: other.rateLimit }, wanted)).toBe(a === b);
      }),
    );
  });

  it("returns false if a part of one throttle is missing", () => {
    const wanted = throttleOf({ requestsPerMinute: 60 });
    expect(sameThrottle({}, wanted)).toBe(false);
    expect(sameThrottle({ rateLimit: 1 }, wanted)).toBe(false);
  });
});
