import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { newEvmKey } from "../../support/keys.ts";
import { admin } from "../support/admin.ts";
import { get, post } from "../support/client.ts";
import { expectMessage } from "../support/expectations.ts";
import { expectToWork, refusalOf, streamOf } from "../support/stream.ts";
import { importAll, importWallet, profileOf, rewardsOf, walletsOf } from "../support/terminal.ts";
import { knownUser, newUser, type User } from "../support/users.ts";

const reward = (id: string, cost: number, rest: object = {}) => ({
  id,
  name: `The reward ${id}`,
  description: `Description of ${id}`,
  type: "access",
  cost,
  available: true,
  imageUrl: `https://images.example/${id}.png`,
  stock: -1,
  ...rest,
});

/** Rewards in an order that follows from none of their fields, to show that the catalogue's order is kept. */
const catalogue = [
  reward("zebra", 500),
  reward("apple", 0, { type: "credits" }),
  reward("mango", 100, { type: "education", available: false, stock: 0 }),
  reward("berry", 1_000_000, { type: "merchandise", stock: 7 }),
];

async function putRewards(rewards: object[], ...options: string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "e2e-rewards-"));
  try {
    await writeFile(join(folder, "rewards.json"), JSON.stringify(rewards));
    await admin("put-rewards", join(folder, "rewards.json"), ...options);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Functions cache the catalogue for five seconds. */
const withinSeconds = { timeout: 30_000, interval: 250 };

async function expectAffordable(user: User, expected: Record<string, boolean>): Promise<void> {
  const found = async () =>
    Object.fromEntries((await rewardsOf(user)).map(({ id, userCanAfford }) => [id, userCanAfford]));
  await expect.poll(found, withinSeconds).toEqual(expected);
}

describe("a user", () => {
  it("lets a disconnected user connect again", async () => {
    const user = await knownUser();
    const stream = await streamOf(user);

    expect(await admin("disconnect", user.id)).toBe("connections ended: 1\n");

    await stream.closed;
    await expectToWork(await streamOf(user));
  });

  it("disconnects a blocked user and refuses new connections", async () => {
    const [user, other] = await Promise.all([knownUser(), knownUser()]);
    const streams = await Promise.all([streamOf(user), streamOf(user)]);

    expect(await admin("block", user.id)).toBe(`${user.id} is blocked\nconnections ended: 2\n`);

    await Promise.all(streams.map(({ closed }) => closed));
    const within = { timeout: 65_000, interval: 500 };
    await vi.waitFor(async () => {
      const { status, json } = await get("/listWallets", user);
      expect({ status, json }).toEqual({ status: 401, json: { error: "This user is blocked" } });
    }, within);
    expect(await refusalOf({ token: user.token })).toMatchObject({ status: 401 });
    await expectToWork(await streamOf(other));

    await admin("unblock", user.id);

    await vi.waitFor(async () => expect((await get("/listWallets", user)).status).toBe(200), within);
    await expectToWork(await vi.waitFor(() => streamOf(user), within));
  });
});

describe("the rewards", () => {
  it("lists the catalogue's rewards in its order, and whether the user can afford each", async () => {
    const user = await knownUser();
    await putRewards(catalogue);

    await expect
      .poll(() => rewardsOf(user), withinSeconds)
      .toStrictEqual(catalogue.map((each) => ({ ...each, userCanAfford: each.cost === 0 })));
  });

  it("makes a reward affordable from exactly its price in points", async () => {
    const user = await knownUser();
    await putRewards(catalogue);

    await admin("set-user", user.id, "--points", "499");
    await expectAffordable(user, { apple: true, mango: true, zebra: false, berry: false });

    await admin("set-user", user.id, "--points", "500");
    await expectAffordable(user, { apple: true, mango: true, zebra: true, berry: false });

    await admin("set-user", user.id, "--points", "0");
    await expectAffordable(user, { apple: true, mango: false, zebra: false, berry: false });
  });

  it("decides by each user's own points which rewards are affordable", async () => {
    const [rich, poor] = [await knownUser(), await knownUser()];
    await putRewards(catalogue);

    await admin("set-user", rich.id, "--points", "1000000");

    await expectAffordable(rich, { apple: true, mango: true, zebra: true, berry: true });
    await expectAffordable(poor, { apple: true, mango: false, zebra: false, berry: false });
  });

  it("sells a reward, and sends the purchase and its later changes to all the user's connections", async () => {
    const user = await knownUser();
    await putRewards(catalogue, "--set-stock");
    await admin("set-user", user.id, "--points", "1000000");
    await expectAffordable(user, { apple: true, mango: true, zebra: true, berry: true });
    const streams = await Promise.all([streamOf(user), streamOf(user)]);
    const stockOfBerry = async () => (await rewardsOf(user)).find(({ id }) => id === "berry")?.stock;

    const answers = await Promise.all([redeem(user, "berry"), redeem(user, "berry")]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers.map(({ headers }) => headers.get("Idempotent-Replayed")).toSorted()).toEqual([
      null,
      "true",
    ]);
    const [{ redemption, points }] = answers.map(({ json }) => (json as Redeemed).data) as [Redeemed["data"]];
    expect([redemption.cost, points]).toEqual([1_000_000, 0]);
    await expect.poll(stockOfBerry, withinSeconds).toBe(6);

    await admin("refund", redemption.redemptionId);
    for (const stream of streams) {
      const message = (data: object) => ({
        type: "RewardRedeemed",
        data: { redemption: { ...redemption, ...data } },
      });
      expect(await stream.take({ type: "RewardRedeemed" })).toMatchObject(message({}));
      expect(await stream.take({ type: "RewardRedeemed" })).toMatchObject(
        message({ status: "refunded", version: 2, updatedAt: expect.any(String) }),
      );
    }
    const { json } = await get("/api/v2/redemptions", user);
    expect(json).toMatchObject({
      data: {
        points: 1_000_000,
        redemptions: [{ redemptionId: redemption.redemptionId, status: "refunded" }],
      },
    });
    await expect.poll(stockOfBerry, withinSeconds).toBe(7);
  });
});

type Redeemed = { data: { redemption: { redemptionId: string; cost: number }; points: number } };

const redeem = ({ token }: User, rewardId: string) =>
  post(`/api/v2/rewards/${rewardId}/redemptions`, { token, body: {}, headers: { "Idempotency-Key": "k" } });

describe("the tier of a user", () => {
  const importMany = (user: User, count: number) =>
    importAll(
      user,
      Array.from({ length: count }, () => newEvmKey()),
    );

  it("raises the limit of wallets at once, and removes no wallet when the tier is lowered", async () => {
    const user = await newUser();
    await importMany(user, 10);
    expectMessage(await importWallet(user, newEvmKey()), 403, /\b10\b/);

    await admin("set-user", user.id, "--tier", "Pro");
    await importMany(user, 2);
    expect(await profileOf(user)).toMatchObject({ tier: "Pro" });

    await admin("set-user", user.id, "--tier", "Base");
    expectMessage(await importWallet(user, newEvmKey()), 403, /\b10\b.*\bBase\b/);
    expect(await walletsOf(user)).toHaveLength(12);
  });
});

describe("the XP of a user", () => {
  it.each([
    [99, 1, 1],
    [100, 2, 300],
    [1_200, 4, 400],
  ])("shows for %d XP the level %d, with %d XP missing to the next level", async (xp, level, missing) => {
    const user = await knownUser();

    await admin("set-user", user.id, "--xp", `${xp}`);

    expect(await profileOf(user)).toMatchObject({
      Level: level,
      xpRemainingForNextLevel: missing,
      Xp: { total: xp, daily: xp, weekly: xp, monthly: xp },
    });
  });
});
