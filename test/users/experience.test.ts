import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { noExperience, withTotal, xpAt } from "../../lib/users/experience.ts";

const at = (time: string) => new Date(time);
const start = at("2026-11-18T12:00:00Z"); // A Wednesday at noon.
const earned = withTotal(noExperience(start), 120, start);

describe("withTotal and xpAt", () => {
  it("counts a gain in every current window", () => {
    expect(xpAt(earned, start)).toEqual({ total: 120, daily: 120, weekly: 120, monthly: 120 });
  });

  it.each([
    ["the last moment of the day", "2026-11-18T23:59:59.999Z", { daily: 120, weekly: 120, monthly: 120 }],
    ["the next day", "2026-11-19T00:00:00.000Z", { daily: 0, weekly: 120, monthly: 120 }],
    ["the last moment of Sunday", "2026-11-22T23:59:59.999Z", { daily: 0, weekly: 120, monthly: 120 }],
    ["Monday", "2026-11-23T00:00:00.000Z", { daily: 0, weekly: 0, monthly: 120 }],
    ["the next month", "2026-12-01T00:00:00.000Z", { daily: 0, weekly: 0, monthly: 0 }],
    ["the same day of another year", "2027-11-18T12:00:00.000Z", { daily: 0, weekly: 0, monthly: 0 }],
  ])("shows windows that have passed as 0 (%s)", (_, time, windows) => {
    expect(xpAt(earned, at(time))).toEqual({ total: 120, ...windows });
  });

  it("continues to count in a week that spans two months or two years", () => {
    const newYear = at("2026-12-31T10:00:00Z");
    const before = withTotal(noExperience(newYear), 50, newYear);
    expect(xpAt(before, at("2027-01-03T23:00:00Z"))).toEqual({ total: 50, daily: 0, weekly: 50, monthly: 0 });
  });

  it("subtracts no loss from a window, but never shows more XP in a window than in total", () => {
    expect(xpAt(withTotal(earned, 20, start), start)).toEqual({
      total: 20,
      daily: 20,
      weekly: 20,
      monthly: 20,
    });
  });

  it("adds up the gains within a window", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { maxLength: 20 }), (gains) => {
        let experience = noExperience(start);
        for (const gain of gains) experience = withTotal(experience, experience.total + gain, start);
        const total = gains.reduce((sum, gain) => sum + gain, 0);
        expect(xpAt(experience, start)).toEqual({ total, daily: total, weekly: total, monthly: total });
      }),
    );
  });
});
