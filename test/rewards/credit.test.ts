import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDecimal } from "../../lib/core/decimal.ts";
import type { Price } from "../../lib/prices/price.ts";
import {
  creditOfFills,
  creditOfShares,
  microDollarsOf,
  usablePrices,
  type ValuedFill,
  withLine,
} from "../../lib/rewards/credit.ts";
import type { EarnedShare } from "../../lib/rewards/earned-row.ts";
import { levelAt } from "../../lib/users/level.ts";
import type { Profile } from "../../lib/users/profile.ts";
import { earnedFill, earningRules as rules, traderProfile } from "../support/earning.ts";

const noon = new Date("2026-11-30T12:00:00.000Z");
const micro = 1_000_000;
const ann = traderProfile("ann", noon);

const valued = (microDollars: bigint | number, changes: Partial<ValuedFill> = {}): ValuedFill => ({
  ...earnedFill("ann", "order", noon.toISOString()),
  microDollars: BigInt(microDollars),
  ...changes,
});

/** The profile after a credit. */
const profileAfter = (profile: Profile, { changes, line }: ReturnType<typeof creditOfFills>): Profile => ({
  ...profile,
  ...changes,
  points: profile.points + line.change,
});

const price = (changes: Partial<Price> = {}): Price => ({
  chain: "eth",
  symbol: "ETH",
  price: "3012.45",
  currency: "USD",
  source: "venue",
  asOf: noon.toISOString(),
  ...changes,
});

const msBefore = (ms: number) => new Date(noon.getTime() - ms).toISOString();

describe("usablePrices", () => {
  it.each([
    ["of now", {}, true],
    ["of ten minutes ago", { asOf: msBefore(600_000) }, true],
    ["older than ten minutes", { asOf: msBefore(600_001) }, false],
    ["by a clock that is a second ahead", { asOf: msBefore(-1000) }, true],
    ["from the future", { asOf: msBefore(-60_001) }, false],
    ["without a time", { asOf: "lately" }, false],
    ["of 0", { price: "0.00" }, false],
    ["below 0", { price: "-1" }, false],
    ["that is no number", { price: "NaN" }, false],
  ])("decides about a price %s", (_, changes, isUsable) => {
    expect(usablePrices([price(changes)], noon).has("eth")).toBe(isUsable);
  });
});

describe("microDollarsOf", () => {
  it.each([
    ["eth", "1000000000000000000", "3012.45", 3_012_450_000n],
    ["sol", "1000000000", "150", 150_000_000n],
    ["sol", "1", "150", 0n],
    ["eth", "999999999999", "1", 0n],
    ["eth", "1000000000000", "1", 1n],
    ["bsc", "1", "1000000000000000000", 1_000_000n],
    ["eth", "0", "3012.45", 0n],
    ["eth", "9".repeat(80), "0.000000000000000001", BigInt("9".repeat(50))],
  ] as const)("values %s units %s at %s", (chain, coinUnits, usd, expected) => {
    expect(microDollarsOf({ chain, coinUnits }, parseDecimal(usd) ?? fail())).toBe(expected);
  });
});

const fail = () => {
  throw new Error("not a number");
};

describe("creditOfFills", () => {
  it("credits XP for each dollar, and points for buys of listed tokens", () => {
    const credit = creditOfFills(ann, [valued(123_456_789)], rules, noon);
    expect(credit.line).toEqual({
      reason: "traded",
      change: 12,
      xp: 123,
      microDollars: "123456789",
      orderIds: ["order"],
    });
    expect(credit.changes).toMatchObject({
      experience: { total: 123, daily: { xp: 123 }, weekly: { xp: 123 }, monthly: { xp: 123 } },
      earnings: { microXp: 456_789, microPoints: 345_678, ownMicroXp: 123_456_789, tradingDays: 1 },
    });
  });

  it.each<[string, ValuedFill, { xp: number; change: number }]>([
    ["a sale", valued(100 * micro, { side: "sell" }), { xp: 100, change: 0 }],
    ["an unlisted token", valued(100 * micro, { token: "0xother" }), { xp: 100, change: 0 }],
    ["a token that another chain lists", valued(100 * micro, { chain: "base" }), { xp: 100, change: 0 }],
    ["less than 5 dollars", valued(5 * micro - 1), { xp: 0, change: 0 }],
    ["5 dollars", valued(5 * micro), { xp: 5, change: 0 }],
    ["more than the cap", valued(1e15), { xp: 1000, change: 100 }],
  ])("credits %s", (_, fill, expected) => {
    const { line, changes } = creditOfFills(ann, [fill], rules, noon);
    expect(line).toMatchObject(expected);
    expect(changes.earnings.tradingDays).toBe(1);
  });

  it.each([
    ["rates of 0", { microXpPerDollar: 0, microPointsPerDollar: 0 }, 0],
    ["rates and caps of 1e9", { microXpPerDollar: 1e15, microPointsPerDollar: 1e15 }, 1e9],
  ])("credits whole numbers at %s", (_, rates, expected) => {
    const extreme = { ...rules, ...rates, xpPerDay: 1e9, pointsPerDay: 1e9 };
    const { line, changes } = creditOfFills(ann, [valued(10n ** 60n), valued(5_000_001)], extreme, noon);
    expect(line).toMatchObject({ xp: expected, change: expected });
    expect(changes.earnings).toMatchObject({ microXp: 0, ownMicroXp: expected * micro });
  });

  it("multiplies only XP", () => {
    const keen = { ...ann, xpMultiplier: 1.5 };
    expect(creditOfFills(keen, [valued(100 * micro)], rules, noon).line).toMatchObject({
      xp: 150,
      change: 10,
    });
  });

  it("leaves a total of XP that an operator has set to the limit", () => {
    const most = { ...ann, experience: { ...ann.experience, total: Number.MAX_SAFE_INTEGER - 7 } };
    const { line, changes } = creditOfFills(most, [valued(100 * micro)], rules, noon);
    expect([line.xp, changes.experience.total]).toEqual([7, Number.MAX_SAFE_INTEGER]);
  });

  it("begins new sums at midnight, but not if a clock is behind", () => {
    const full = profileAfter(ann, creditOfFills(ann, [valued(1e12)], rules, noon));
    const credited = (time: string) => creditOfFills(full, [valued(100 * micro)], rules, new Date(time)).line;
    expect(credited("2026-11-30T23:59:59.999Z")).toMatchObject({ xp: 0, change: 0 });
    expect(credited("2026-12-01T00:00:00.000Z")).toMatchObject({ xp: 100, change: 10 });
    expect(credited("2026-11-29T23:59:59.999Z")).toMatchObject({ xp: 0, change: 0 });
  });

  it("credits nothing more today if an operator lowers the cap", () => {
    const half = profileAfter(ann, creditOfFills(ann, [valued(500 * micro)], rules, noon));
    const { line } = creditOfFills(half, [valued(500 * micro)], { ...rules, xpPerDay: 300 }, noon);
    expect(line.xp).toBe(0);
  });

  it("counts days by the time of the block, and a time in the future as today", () => {
    const days = ["2026-11-28", "2026-11-29", "2026-11-29", "2099-01-01", "+012026-01-01"];
    const fills = days.map((day) => valued(1, { filledAt: `${day}T23:59:59Z` }));
    expect(creditOfFills(ann, fills, rules, noon).changes.earnings).toMatchObject({
      tradingDays: 3,
      streak: { last: "2026-11-30", bits: "0000000000000007", before: 0 },
    });
  });

  it("ranks from a level and a number of trading days, and never takes that back", () => {
    const two = ["2026-11-29", "2026-11-30"].map((day) =>
      valued(50 * micro, { filledAt: `${day}T00:00:00Z` }),
    );
    const ranked = (fills: ValuedFill[], profile = ann) =>
      creditOfFills(profile, fills, rules, noon).changes.ranked;
    expect([ranked(two), ranked(two.slice(1)), ranked([valued(1e12)])]).toEqual([true, false, false]);
    expect(ranked(two.slice(1), { ...ann, ranked: true })).toBe(true);
  });

  const dollars = fc.oneof(fc.nat({ max: 40 * micro }), fc.nat({ max: 400 * micro }));
  const someFill = fc.record({
    microDollars: dollars,
    side: fc.constantFrom<"buy" | "sell">("buy", "sell"),
    hour: fc.nat({ max: 36 }),
  });

  it("credits the same sums for any split into credits, at most the caps of each day", () => {
    const splits = fc.array(fc.array(someFill, { maxLength: 6 }), { minLength: 1, maxLength: 12 });
    const chosen = fc.record({
      rate: fc.constantFrom(0, 1, 333_333, 1_000_000, 7_777_777),
      cap: fc.constantFrom(0, 1, 77, 1000),
      multiplier: fc.constantFrom(0, 1, 1.1, 3),
    });
    fc.assert(
      fc.property(splits, chosen, fc.nat({ max: 3 }), (parts, { rate, cap, multiplier }, days) => {
        const given = { ...rules, microXpPerDollar: rate, microPointsPerDollar: rate };
        const own = { ...given, xpPerDay: cap, pointsPerDay: cap };
        const fillsOf = (part: (typeof parts)[number]) =>
          part.map(({ microDollars, side, hour }) =>
            valued(microDollars, { side, filledAt: msBefore(hour * 3_600_000) }),
          );
        const start: Profile = { ...ann, xpMultiplier: multiplier, referrerId: "bob" };
        const play = (splitting: ValuedFill[][]) =>
          Array.from({ length: days + 1 }, (_, day) => new Date(noon.getTime() + day * 86_400_000)).reduce(
            (state, now) =>
              splitting.reduce(({ profile, shared }, fills) => {
                const credit = creditOfFills(profile, fills, own, now);
                expect(credit.line.xp).toBe(credit.changes.experience.total - profile.experience.total);
                const { microXp = 0, microPoints = 0 } = credit.share ?? {};
                return {
                  profile: profileAfter(profile, credit),
                  shared: {
                    microXp: shared.microXp + microXp,
                    microPoints: shared.microPoints + microPoints,
                  },
                };
              }, state),
            { profile: start, shared: { microXp: 0, microPoints: 0 } },
          );
        const split = play(parts.map(fillsOf));
        const whole = play([parts.flatMap(fillsOf)]);
        expect(split).toEqual(whole);
        const { experience, points, earnings } = split.profile;
        expect(experience.total).toBeLessThanOrEqual(cap * (days + 1));
        const total = experience.total * micro + (earnings?.microXp ?? 0);
        expect(split.shared.microXp * 10).toBeLessThanOrEqual(total);
        expect(split.shared.microPoints * 10).toBeLessThanOrEqual(
          points * micro + (earnings?.microPoints ?? 0),
        );
      }),
    );
  });

  it("gives no point for 10,000 wash trades of an unlisted token, and XP up to the day's cap", () => {
    let profile = ann;
    for (let part = 0; part < 250; part++) {
      const fills = Array.from({ length: 40 }, () => valued(1e12, { token: "0xown" }));
      profile = profileAfter(profile, creditOfFills(profile, fills, rules, noon));
    }
    expect([profile.experience.total, profile.points]).toEqual([1000, 0]);
    expect(profile.earnings).toMatchObject({ microPoints: 0, tradingDays: 1 });
  });
});

describe("a referrer's share", () => {
  const joined = (days: number) => ({
    ...ann,
    referrerId: "bob",
    createdAt: new Date(noon.getTime() - days * 86_400_000).toISOString(),
  });
  const shareOf = (profile: Profile, fills = [valued(100 * micro)], given = rules) =>
    creditOfFills(profile, fills, given, noon).share;

  it("is a tenth of what is credited, after the user's caps, and names nobody but the referrer", () => {
    expect(shareOf(joined(0))).toEqual({
      kind: "share",
      userID: "bob",
      microXp: 10 * micro,
      microPoints: micro,
      of: expect.stringMatching(/^[\dA-Z]{26}$/),
      at: noon.toISOString(),
    });
    expect(shareOf(joined(0), [valued(1e15)])).toMatchObject({
      microXp: 100 * micro,
      microPoints: 10 * micro,
    });
  });

  it.each([
    ["without a referrer", ann, rules],
    ["90 days and a moment after the sign-up", joined(90 + 1e-8), rules],
    ["with a share of 0", joined(0), { ...rules, microShare: 0 }],
  ])("is nothing %s", (_, profile, given) => {
    expect(shareOf(profile, undefined, given)).toBeUndefined();
  });

  it("is given until 90 days after the sign-up", () => {
    expect(shareOf(joined(90))).toBeDefined();
  });

  it("is nothing for a fill that earns nothing", () => {
    expect(shareOf(joined(0), [valued(1)])).toBeUndefined();
  });
});

describe("creditOfShares", () => {
  const bob = traderProfile("bob", noon, { xpMultiplier: 5, referrerId: "cat" });
  const share = (microXp: number, microPoints: number): EarnedShare => ({
    kind: "share",
    userID: "bob",
    microXp,
    microPoints,
    of: `${microXp}`,
    at: noon.toISOString(),
  });

  it("adds shares to the carry, without a multiplier, a share of a share or a trading day", () => {
    const credit = creditOfShares(bob, [share(1_500_000, 900_000), share(700_000, 200_000)], rules, noon);
    expect(credit.line).toEqual({ reason: "referred", change: 1, xp: 2, shares: ["1500000", "700000"] });
    expect(credit).not.toHaveProperty("share");
    expect(credit.changes.earnings).toEqual({
      microXp: 200_000,
      microPoints: 100_000,
      day: "2026-11-30",
      ownMicroXp: 0,
      ownMicroPoints: 0,
      sharedMicroXp: 2_200_000,
      sharedMicroPoints: 1_100_000,
      tradingDays: 0,
    });
  });

  it("credits at most the caps of one user a day, besides the user's own", () => {
    const own = profileAfter(bob, creditOfFills(bob, [valued(1e12)], rules, noon));
    const shared = profileAfter(
      own,
      creditOfShares(own, [share(3e15, 3e15), share(micro, micro)], rules, noon),
    );
    expect([shared.experience.total, shared.points]).toEqual([2000, 200]);
    expect(levelAt(shared.experience.total)).toBe(5);
    const tomorrow = new Date("2026-12-01T00:00:00.000Z");
    for (const [now, credited] of [[noon, 0] as const, [tomorrow, 1] as const])
      expect(creditOfShares(shared, [share(micro, micro)], rules, now).line).toMatchObject({
        xp: credited,
        change: credited,
      });
  });
});

describe("withLine", () => {
  const days = [0, 1, 1, 3].map((day) => new Date(noon.getTime() + day * 86_400_000));
  const share: EarnedShare = {
    kind: "share",
    userID: "ann",
    microXp: 7 * micro,
    microPoints: 2 * micro,
    of: "digest",
    at: noon.toISOString(),
  };

  it("repeats credits of whole XP and points on several days", () => {
    let [live, restored] = [ann, ann];
    for (const now of days)
      for (const credit of [
        (profile: Profile) =>
          creditOfFills(profile, [valued(600 * micro, { filledAt: now.toISOString() })], rules, now),
        (profile: Profile) => creditOfShares(profile, [share], rules, now),
      ]) {
        const made = credit(live);
        live = profileAfter(live, made);
        const line = { ...made.line, userID: "ann", time: now.toISOString(), points: live.points };
        restored = withLine(restored, line);
      }
    // Leaves the rank to the next credit, which knows its rules.
    expect(restored).toEqual({ ...live, ranked: false });
    expect(live.earnings).toMatchObject({ ownMicroXp: 600 * micro, tradingDays: 3 });
    expect(live.experience.total).toBe(600 + 1000 + 600 + 4 * 7);
  });

  it("drops parts that later lines may contain", () => {
    const before = { ...ann, ...creditOfFills(ann, [valued(5.5 * micro)], rules, noon).changes };
    const line = { reason: "traded", change: 1, xp: 6, points: 1, userID: "ann" } as const;
    expect(before.earnings).toMatchObject({ microXp: micro / 2 });
    const { earnings } = withLine(before, { ...line, time: noon.toISOString() });
    expect(earnings).toMatchObject({ microXp: 0, microPoints: 0, ownMicroXp: 11.5 * micro });
  });

  it("takes only the points from lines that are not credits", () => {
    const line = { reason: "redeemed", change: -4, points: 3, userID: "ann" } as const;
    expect(withLine(ann, { ...line, time: noon.toISOString() })).toEqual({ ...ann, points: 3 });
  });
});
