import { expect, it } from "vitest";
import { newEvmKey } from "../../support/keys.ts";
import { profileShape } from "../support/shapes.ts";
import { importAll, profileOf, referralsOf, settingsAfter } from "../support/terminal.ts";
import { newUser } from "../support/users.ts";

it("starts a new user at level 1 of tier Base", async () => {
  const user = await newUser();

  const profile = await profileOf(user);

  expect(profile).toStrictEqual(profileShape);
  expect(profile).toMatchObject({
    userID: user.id,
    tier: "Base",
    Level: 1,
    Xp: { total: 0, daily: 0, weekly: 0, monthly: 0 },
    usersReferred: 0,
    tradeStreakCount: 0,
    xpMultiplier: 1,
    Ranked: false,
    viewedMessage: false,
  });
  expect(profile.xpRemainingForNextLevel).toBeGreaterThan(0);
  expect(Math.abs(Date.parse(profile.lastVisited) - Date.now())).toBeLessThan(60_000);
});

it("shows no referrer and no referrals for a new user", async () => {
  const user = await newUser();

  expect(await referralsOf(user)).toMatchObject({ usersReferred: 0, referredBy: null, referrals: [] });
});

it("creates a profile once, and leaves it unchanged when other data changes", async () => {
  const user = await newUser();
  const first = await profileOf(user);

  await importAll(user, [newEvmKey()]);
  await settingsAfter(user, "eth", {});
  const second = await profileOf(user);

  expect(second).toStrictEqual({ ...first, lastVisited: second.lastVisited });
});

it("creates the profile on a user's first request, whichever endpoint it calls", async () => {
  const user = await newUser();

  await settingsAfter(user, "sol", { slippage: 8 });

  expect(await profileOf(user)).toMatchObject({
    userID: user.id,
    tradingSettings: { solana: { slippage: 8 } },
  });
});

it("makes unique ids and referral codes, without ambiguous characters in the codes", async () => {
  const users = await Promise.all(Array.from({ length: 5 }, () => newUser()));

  const profiles = await Promise.all(users.map(profileOf));

  expect(new Set(profiles.map(({ refID }) => refID)).size).toBe(5);
  expect(new Set(profiles.map(({ _id }) => _id)).size).toBe(5);
  for (const { refID } of profiles) expect(refID).toMatch(/^[0-9A-Z]{6,12}$/);
});
