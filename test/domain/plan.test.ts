import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mostRequestsPerMinute, planOf, samePlan, sameThrottle, throttleOf } from "../../lib/domain/plan.ts";

const number = fc.integer({ min: 1, max: mostRequestsPerMinute });

describe("the plan of a user", () => {
  it.each([
    [{ tier: "Base" }, { name: "Standard", requestsPerMinute: 1000 }],
    [{ tier: "Pro" }, { name: "Pro", requestsPerMinute: 5000 }],
    [
      { tier: "Enterprise", requestsPerMinute: 20_000 },
      { name: "Enterprise", requestsPerMinute: 20_000 },
    ],
    [{ tier: "Enterprise" }, { name: "Pro", requestsPerMinute: 5000 }],
    // Left over from a tier that was left.
    [
      { tier: "Base", requestsPerMinute: 20_000 },
      { name: "Standard", requestsPerMinute: 1000 },
    ],
  ] as const)("%j: %j", (user, plan) => {
    expect(planOf(user)).toEqual(plan);
  });

  it("is another one with another number, or with the same of another kind", () => {
    const pro = planOf({ tier: "Pro" });
    const own = (requestsPerMinute: number) => planOf({ tier: "Enterprise", requestsPerMinute });
    expect(samePlan(own(5000), own(5000))).toBe(true);
    expect(samePlan(own(5000), own(5001))).toBe(false);
    expect(samePlan(own(5000), pro)).toBe(false);
  });
});

describe("a throttle", () => {
  it("lets a minute's requests through in any minute, and all of them at once", () => {
    fc.assert(
      fc.property(number, (requestsPerMinute) => {
        const { rateLimit, burstLimit } = throttleOf({ requestsPerMinute });
        expect(rateLimit * 60).toBeCloseTo(requestsPerMinute, 6);
        expect(burstLimit).toBe(requestsPerMinute);
      }),
    );
  });

  it("is the same when its fractions are cut on the way, and another with any other number", () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        const [wanted, other] = [throttleOf({ requestsPerMinute: a }), throttleOf({ requestsPerMinute: b })];
        const cut = { ...wanted, rateLimit: Math.fround(wanted.rateLimit) };
        expect(sameThrottle(cut, wanted)).toBe(true);
        expect(sameThrottle(other, wanted)).toBe(a === b);
        expect(sameThrottle({ ...wanted, rateLimit: other.rateLimit }, wanted)).toBe(a === b);
      }),
    );
  });

  it("is none when a part is missing", () => {
    const wanted = throttleOf({ requestsPerMinute: 60 });
    expect(sameThrottle({}, wanted)).toBe(false);
    expect(sameThrottle({ rateLimit: 1 }, wanted)).toBe(false);
  });
});
