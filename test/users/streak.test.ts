import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Streak } from "../../lib/users/earnings.ts";
import { streakAt, withTradingDay } from "../../lib/users/streak.ts";

const dayMs = 86_400_000;
const dayAfter = (days: number, first = "2027-12-01") =>
  new Date(Date.parse(first) + days * dayMs).toISOString().slice(0, 10);

const streakOf = (days: readonly string[]): Streak | undefined =>
  days.reduce<Streak | undefined>((streak, day) => withTradingDay(streak, day), undefined);

/** Counts back from a day without the bits, word for word as the rule says. */
function counted(days: ReadonlySet<string>, today: string): number {
  const end = days.has(today) ? 0 : 1;
  let run = 0;
  while (days.has(dayAfter(-end - run, today))) run++;
  return run;
}

const noon = (day: string) => new Date(`${day}T12:00:00Z`);

describe("streakAt", () => {
  it.each<[string, string[], string, number]>([
    ["no fill", [], "2026-11-30T12:00:00Z", 0],
    ["a fill today", ["2026-11-30"], "2026-11-30T00:00:00.000Z", 1],
    ["a fill yesterday, at the last moment of today", ["2026-11-29"], "2026-11-30T23:59:59.999Z", 1],
    ["a fill yesterday, a moment later", ["2026-11-29"], "2026-12-01T00:00:00.000Z", 0],
    ["a leap day", ["2028-02-28", "2028-02-29", "2028-03-01"], "2028-03-01T01:00:00Z", 3],
    ["a year without a leap day", ["2027-02-28", "2027-03-01"], "2027-03-01T01:00:00Z", 2],
    ["the end of a year", ["2027-12-30", "2027-12-31", "2028-01-01"], "2028-01-02T01:00:00Z", 3],
    ["the edge of a week", ["2026-11-29", "2026-11-30"], "2026-11-30T01:00:00Z", 2],
    ["a gap", ["2026-11-27", "2026-11-29", "2026-11-30"], "2026-11-30T01:00:00Z", 2],
    ["a block a moment ahead of the clock", ["2026-11-29", "2026-11-30"], "2026-11-29T23:59:59.999Z", 2],
  ])("counts %s", (_, days, now, expected) => {
    expect(streakAt(streakOf(days), new Date(now))).toBe(expected);
  });

  it.each([63, 64, 65, 66, 128, 129, 400, 1000])("counts %i days in a row", (length) => {
    const days = Array.from({ length }, (_, index) => dayAfter(index));
    expect(streakAt(streakOf(days), noon(days.at(-1) ?? ""))).toBe(length);
  });

  it.each([64, 65, 66, 100, 5000])("forgets a long run after a gap of %i days", (gap) => {
    const days = Array.from({ length: 100 }, (_, index) => dayAfter(index));
    expect(streakAt(streakOf([...days, dayAfter(99 + gap)]), noon(dayAfter(99 + gap)))).toBe(1);
  });
});

describe("withTradingDay", () => {
  it("returns the same object for a day that it has counted, or that is too long ago to tell", () => {
    const streak = streakOf(["2026-09-27", "2026-11-30"]);
    for (const day of ["2026-11-30", "2026-09-27", "2026-09-26", "2020-01-01"])
      expect(withTradingDay(streak, day)).toBe(streak);
    expect(withTradingDay(streak, "2026-09-28")).not.toBe(streak);
  });

  /** Days in any order within 64 days, after a long run that came in order. */
  const history = fc.record({
    run: fc.nat({ max: 150 }),
    days: fc.uniqueArray(fc.nat({ max: 63 }), { minLength: 1, maxLength: 64 }),
  });

  it("gives the same result for any order of the days, and counts each of them once", () => {
    fc.assert(
      fc.property(history, ({ run, days }) => {
        const first = Array.from({ length: run }, (_, index) => dayAfter(index - run));
        const shuffled = days.map((day) => dayAfter(day));
        const start = streakOf(first);
        let [streak, count] = [start, run];
        for (const day of [...shuffled, ...shuffled]) {
          const next = withTradingDay(streak, day);
          if (next !== streak) count++;
          streak = next;
        }
        expect(streak).toEqual(streakOf([...first, ...shuffled.toSorted()]));
        expect(count).toBe(run + days.length);
        const all = new Set([...first, ...shuffled]);
        const last = shuffled.toSorted().at(-1) ?? "";
        for (const after of [0, 1, 2])
          expect(streakAt(streak, noon(dayAfter(after, last)))).toBe(counted(all, dayAfter(after, last)));
      }),
    );
  });
});
