import { describe, expect, it } from "vitest";
import { newProfile, profileData, referralData, usernameOf } from "../../lib/domain/profile.ts";

const now = new Date("2026-11-21T09:00:00.000Z");
const profile = newProfile({ _id: "p1", userID: "alice", username: "Alice", refID: "ABCD2345", now });

describe("a new profile", () => {
  it("starts at level 1 in tier Base with nothing", () => {
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

describe("profile data", () => {
  it("shows the settings of each chain under its long name, and of Solana only slippage and priority fee", () => {
    const settings = { eth: { slippage: 3 }, sol: { priorityFee: 0.5, autoBuy: true } };
    expect(profileData(profile, settings, now).tradingSettings).toEqual({
      ethereum: expect.objectContaining({ slippage: 3, gasPreset: "medium" }),
      solana: { slippage: 1, priorityFee: 0.5 },
      base: expect.objectContaining({ slippage: 1 }),
    });
  });
});

describe("referral data", () => {
  it("says null when nobody brought the user", () => {
    expect(referralData(profile, []).referredBy).toBeNull();
    expect(referralData({ ...profile, referredBy: "Bob" }, []).referredBy).toBe("Bob");
  });
});

describe("a username", () => {
  it.each([
    ["the first that is fit", [undefined, "Alice", "Bob"], "Alice"],
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
