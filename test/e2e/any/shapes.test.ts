import { describe, expect, it } from "vitest";
import { get, post } from "../support/client.ts";
import {
  profileShape,
  rewardShape,
  settingsRecords,
  text,
  timestamp,
  walletShape,
} from "../support/shapes.ts";
import { profileOf, referralsOf, rewardsOf, type Wallet, walletsOf } from "../support/terminal.ts";
import { someUser, twoUsers } from "../support/users.ts";

const user = someUser();

it("GET /listWallets answers with an array of wallets", async () => {
  const wallets = await walletsOf(user);

  expect(wallets).toBeInstanceOf(Array);
  for (const wallet of wallets) {
    expect(wallet).toStrictEqual(walletShape);
    expect(wallet.UserID).toBe(user.id);
  }
});

it("GET /api/v2/wallets answers with the same wallets in the standard envelope", async () => {
  const { status, json } = await get("/api/v2/wallets", user);

  expect(status).toBe(200);
  expect(json).toStrictEqual({
    success: true,
    data: { wallets: await walletsOf(user) },
    timestamp,
  });
});

it("GET /getUserData answers with a profile", async () => {
  const profile = await profileOf(user);

  expect(profile).toStrictEqual(profileShape);
  expect(profile).toMatchObject({ userID: user.id });
});

describe("GET /getUserData", () => {
  it.each([
    "",
    "?type=profile",
    "?type=",
    "?type",
    "?type=anything",
    "?type=REF",
    "?type=ref%20",
    "?type=refs",
    "?type=__proto__",
    "?Type=ref",
    "?type%5B%5D=ref",
    "?other=ref",
  ])("answers with the profile for the query '%s'", async (query) => {
    const { status, json } = await get(`/getUserData${query}`, user);

    expect(status).toBe(200);
    expect(json).toStrictEqual(profileShape);
  });

  it.each(["?type=ref", "?type=%72ef", "?a=1&type=ref"])(
    "answers with the referral data for the query '%s'",
    async (query) => {
      const { status, json } = await get(`/getUserData${query}`, user);

      expect(status).toBe(200);
      expect(json).toMatchObject({ userID: user.id });
      expect(json).not.toHaveProperty("tier");
    },
  );

  it("rejects and names a type that is given twice", async () => {
    const { status, json } = await get("/getUserData?type=ref&type=profile", user);

    expect(status).toBe(400);
    expect(JSON.stringify(json)).toContain("The query parameter type must not be given twice");
  });
});

it("GET /getUserData?type=ref answers with the code, the count and the referred users", async () => {
  const data = await referralsOf(user);

  expect(data).toStrictEqual({
    userID: user.id,
    username: text,
    refID: (await profileOf(user)).refID,
    usersReferred: expect.any(Number),
    referredBy: data.referredBy === null ? null : text,
    referrals: expect.any(Array),
  });
  for (const referral of data.referrals)
    expect(referral).toStrictEqual({ username: text, joinedAt: timestamp });
});

it("GET /api/waitlist/v2/rewards answers in an envelope without a timestamp", async () => {
  const { status, json } = await get("/api/waitlist/v2/rewards", user);

  expect(status).toBe(200);
  expect(json).toStrictEqual({ success: true, data: { rewards: expect.any(Array) } });
});

it("GET /api/waitlist/v2/rewards answers with rewards", async () => {
  for (const reward of await rewardsOf(user)) expect(reward).toStrictEqual(rewardShape);
});

it.each(["eth", "base", "sol"] as const)(
  "POST /updateTradingSettings/%s answers with the settings of that chain",
  async (chain) => {
    const { status, json } = await post(`/updateTradingSettings/${chain}`, { token: user.token, body: {} });

    expect(status).toBe(200);
    expect(json).toStrictEqual(settingsRecords[chain]);
    expect(json).toMatchObject({ userID: user.id });
  },
);

it("shows two users different profiles and wallets", async () => {
  const [first, second] = await twoUsers();

  const profiles = [await profileOf(first), await profileOf(second)];
  const wallets: Wallet[] = [...(await walletsOf(first)), ...(await walletsOf(second))];

  expect(profiles.map(({ userID }) => userID)).toEqual([first.id, second.id]);
  expect(new Set(profiles.map(({ refID }) => refID)).size).toBe(2);
  expect(new Set(wallets.map(({ _id }) => _id)).size).toBe(wallets.length);
});
