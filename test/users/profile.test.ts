import { describe, expect, it } from "vitest";
import {
  isPublicName,
  newProfile,
  profileData,
  referralData,
  remainsOf,
  usernameOf,
} from "../../lib/users/profile.ts";

const now = new Date("2026-11-21T09:00:00.000Z");
const profile = newProfile({ _id: "p1", userID: "alice", username: "Alice", refID: "ABCD2345", now });

describe("newProfile", () => {
  it("starts at level 1 in tier Base, without XP and referrals", () => {
    expect(profileData(profile, {}, now)).toMatchObject({
      tier: "Base",
      Level: 1,
      xpRemainingForNextLevel: 100,
      Xp: { total: 0, daily: 0, weekly: 0, monthly: 0 },
      usersReferred: 0,
      lastVisited: "2026-11-21T09:00:00.000Z",
    });
  });
});

describe("remainsOf", () => {
  it("keeps old tokens out for 40 days, and names only the pseudonym", () => {
    const remains = remainsOf({ userID: "alice", pseudonym: "p-2" }, now);
    expect(remains).toMatchObject({ _id: "p-2", pseudonym: "p-2", username: "deleted user", refID: "" });
    expect(remains.expiresAt).toBe(Date.parse("2026-12-31T09:00:00.000Z") / 1000);
  });
});

describe("profileData", () => {
  it("shows each chain's settings under its long name, but only slippage and priority fee of Solana", () => {
    const settings = { eth: { slippage: 3 }, sol: { priorityFee: 0.5, autoBuy: true } };
    expect(profileData(profile, settings, now).tradingSettings).toEqual({
      ethereum: expect.objectContaining({ slippage: 3, gasPreset: "medium" }),
      solana: { slippage: 1, priorityFee: 0.5 },
      base: expect.objectContaining({ slippage: 1 }),
    });
  });
});

describe("profileData, of a user who trades", () => {
  const earnings = {
    ...{ microXp: 0, microPoints: 0, day: "2026-11-20", ownMicroXp: 0, ownMicroPoints: 0 },
    ...{ sharedMicroXp: 0, sharedMicroPoints: 0, tradingDays: 2 },
    streak: { last: "2026-11-20", bits: "0000000000000003", before: 0 },
  };
  const shownOn = (day: string) =>
    profileData({ ...profile, earnings }, {}, new Date(`${day}T00:00:00.000Z`)).tradeStreakCount;

  it("counts the streak when the profile is read, and shows nothing else of the earnings", () => {
    expect(["2026-11-20", "2026-11-21", "2026-11-22"].map(shownOn)).toEqual([2, 2, 0]);
    const shown = profileData({ ...profile, earnings, publicName: "Ace", referrerId: "rita" }, {}, now);
    expect(Object.keys(shown).toSorted()).toEqual(Object.keys(profileData(profile, {}, now)).toSorted());
  });
});

describe("referralData", () => {
  it("shows null for the referrer of a user without one", () => {
    expect(referralData(profile, []).referredBy).toBeNull();
    expect(referralData({ ...profile, referredBy: "Bob" }, []).referredBy).toBe("Bob");
  });
});

describe("isPublicName", () => {
  it.each([
    ["plain text", "Night owl"],
    ["32 emoji beyond the basic plane", "🦉".repeat(32)],
    ["an emoji with joiners", "👨‍👩‍👧‍👦"],
    ["vowel signs and tones", "हिन्दी สวัสดี"],
    ["markup, which is text", "<b>&amp;"],
  ])("allows %s", (_, name) => {
    expect(isPublicName(name)).toBe(true);
  });

  it.each([
    ["nothing", ""],
    ["33 characters", "a".repeat(33)],
    ["an email address", "ann@example.com"],
    ["a space before it", " Ann"],
    ["a Hangul filler, which looks like nothing", "\u3164"],
    ["a blank of Braille after another user's name", "Ann\u2800"],
    ["a grapheme joiner in another user's name", "A\u034fnn"],
    ["a zero-width space", "A\u200bnn"],
    ["a bidi override", "\u202ennA"],
    ["a line separator", "A\u2028nn"],
    ["half of a surrogate pair", "A\ud83d"],
    ["four marks on a letter", `A${"\u0301".repeat(4)}`],
    ["a mark without a letter", "\u0301Ann"],
  ])("rejects %s", (_, name) => {
    expect(isPublicName(name)).toBe(false);
  });
});

describe("usernameOf", () => {
  it.each([
    ["the first valid name", [undefined, "Alice", "Bob"], "Alice"],
    ["never an email address", ["alice@example.com", "Alice"], "Alice"],
    ["never with control characters", ["Al\u0000ice", "Al\u202eice"], "trader-abcd2345"],
    ["never longer than 64", ["a".repeat(65)], "trader-abcd2345"],
    ["never blank", ["", " ", " Alice"], "trader-abcd2345"],
    ["only text", [42, null, { name: "Alice" }], "trader-abcd2345"],
    ["in any script", ["Анна 王"], "Анна 王"],
  ])("is %s", (_, candidates, username) => {
    expect(usernameOf(candidates, "ABCD2345")).toBe(username);
  });
});
