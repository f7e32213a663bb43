import { describe, expect, test } from "vitest";
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

test("the list of wallets is an array of wallets", async () => {
  const user = await someUser();

  const wallets = await walletsOf(user);

  expect(wallets).toBeInstanceOf(Array);
  for (const wallet of wallets) {
    expect(wallet).toStrictEqual(walletShape);
    expect(wallet.UserID).toBe(user.id);
  }
});

test("the list of wallets, version 2, is the same in the general envelope", async () => {
  const user = await someUser();

  const { status, json } = await get("/api/v2/wallets", user);

  expect(status).toBe(200);
  expect(json).toStrictEqual({
    success: true,
    data: { wallets: await walletsOf(user) },
    timestamp,
  });
});

test("the profile has the fields of a profile", async () => {
  const user = await someUser();

  const profile = await profileOf(user);

  expect(profile).toStrictEqual(profileShape);
  expect(profile).toMatchObject({ userID: user.id });
});

describe("The parameter type of getUserData", () => {
  test.each([
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
  ])("as in getUserData%s gives the profile", async (query) => {
    const { status, json } = await get(`/getUserData${query}`, await someUser());

    expect(status).toBe(200);
    expect(json).toStrictEqual(profileShape);
  });

  test.each(["?type=ref", "?type=%72ef", "?a=1&type=ref"])(
    "as in getUserData%s gives the referral data",
    async (query) => {
      const user = await someUser();

      const { status, json } = await get(`/getUserData${query}`, user);

      expect(status).toBe(200);
      expect(json).toMatchObject({ userID: user.id });
      expect(json).not.toHaveProperty("tier");
    },
  );

  test.each(["?type=ref&type=profile", "?type=profile&type=ref", "?type=ref&type=ref"])(
    "given twice, as in getUserData%s, gives one or the other",
    async (query) => {
      const user = await someUser();

      const { status, json } = await get(`/getUserData${query}`, user);

      expect(status).toBe(200);
      expect(json).toMatchObject({ userID: user.id, refID: text });
    },
  );
});

test("the referral data has the code, the count and who came by it", async () => {
  const user = await someUser();

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

test("the rewards come in an envelope of their own, without a time", async () => {
  const { status, json } = await get("/api/waitlist/v2/rewards", await someUser());

  expect(status).toBe(200);
  expect(json).toStrictEqual({ success: true, data: { rewards: expect.any(Array) } });
});

test("a reward has the fields of a reward", async () => {
  for (const reward of await rewardsOf(await someUser())) expect(reward).toStrictEqual(rewardShape);
});

test.each(["eth", "base", "sol"] as const)(
  "the settings record of %s has the fields of that chain",
  async (chain) => {
    const user = await someUser();

    const { status, json } = await post(`/updateTradingSettings/${chain}`, { token: user.token, body: {} });

    expect(status).toBe(200);
    expect(json).toStrictEqual(settingsRecords[chain]);
    expect(json).toMatchObject({ userID: user.id });
  },
);

test("users are told apart", async () => {
  const [first, second] = await twoUsers();

  const profiles = [await profileOf(first), await profileOf(second)];
  const wallets: Wallet[] = [...(await walletsOf(first)), ...(await walletsOf(second))];

  expect(profiles.map(({ userID }) => userID)).toEqual([first.id, second.id]);
  expect(new Set(profiles.map(({ refID }) => refID)).size).toBe(2);
  expect(new Set(wallets.map(({ _id }) => _id)).size).toBe(wallets.length);
});
