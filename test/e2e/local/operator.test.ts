import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { admin } from "../support/admin.ts";
import { expectMessage } from "../support/expectations.ts";
import { newEvmKey } from "../../support/keys.ts";
import { importAll, importWallet, profileOf, rewardsOf, walletsOf } from "../support/terminal.ts";
import { newUser, type User } from "../support/users.ts";

const reward = (id: string, cost: number, rest: object = {}) => ({
  id,
  name: `The reward ${id}`,
  description: `What ${id} gives you`,
  type: "access",
  cost,
  available: true,
  imageUrl: `https://images.example/${id}.png`,
  stock: -1,
  ...rest,
});

/** In no order but their own. */
const catalogue = [
  reward("zebra", 500),
  reward("apple", 0, { type: "credits" }),
  reward("mango", 100, { type: "education", available: false, stock: 0 }),
  reward("berry", 1_000_000, { type: "merchandise", stock: 7 }),
];

async function putRewards(rewards: object[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "e2e-rewards-"));
  try {
    await writeFile(join(folder, "rewards.json"), JSON.stringify(rewards));
    await admin("put-rewards", join(folder, "rewards.json"));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Users are known from their first sign-in on. */
async function knownUser(): Promise<User> {
  const user = await newUser();
  await profileOf(user);
  return user;
}

const affordable = async (user: User) =>
  Object.fromEntries((await rewardsOf(user)).map(({ id, userCanAfford }) => [id, userCanAfford]));

describe("The rewards", () => {
  test("are those of the catalogue, in its order, and say of each whether the user can afford it", async () => {
    const user = await knownUser();
    await putRewards(catalogue);

    expect(await rewardsOf(user)).toStrictEqual(
      catalogue.map((each) => ({ ...each, userCanAfford: each.cost === 0 })),
    );

    await putRewards(catalogue.toReversed());
    expect((await rewardsOf(user)).map(({ id }) => id)).toEqual(["berry", "mango", "apple", "zebra"]);
  });

  test("become affordable with the points that they cost, and not a point before", async () => {
    const user = await knownUser();
    await putRewards(catalogue);

    await admin("set-user", user.id, "--points", "499");
    expect(await affordable(user)).toEqual({ apple: true, mango: true, zebra: false, berry: false });

    await admin("set-user", user.id, "--points", "500");
    expect(await affordable(user)).toEqual({ apple: true, mango: true, zebra: true, berry: false });

    await admin("set-user", user.id, "--points", "0");
    expect(await affordable(user)).toEqual({ apple: true, mango: false, zebra: false, berry: false });
  });

  test("are afforded by each user's own points", async () => {
    const [rich, poor] = [await knownUser(), await knownUser()];
    await putRewards(catalogue);

    await admin("set-user", rich.id, "--points", "1000000");

    expect(await affordable(rich)).toEqual({ apple: true, mango: true, zebra: true, berry: true });
    expect(await affordable(poor)).toEqual({ apple: true, mango: false, zebra: false, berry: false });
  });

  test("may be none", async () => {
    const user = await knownUser();

    await putRewards([]);

    expect(await rewardsOf(user)).toEqual([]);
  });
});

describe("A user's tier", () => {
  test("lifts the limit of wallets at once, and a lower one takes none away", async () => {
    const user = await newUser();
    await importAll(
      user,
      Array.from({ length: 10 }, () => newEvmKey()),
    );
    expectMessage(await importWallet(user, newEvmKey()), 403, /\b10\b/);

    await admin("set-user", user.id, "--tier", "Pro");
    await importAll(user, [newEvmKey(), newEvmKey()]);
    expect(await profileOf(user)).toMatchObject({ tier: "Pro" });

    await admin("set-user", user.id, "--tier", "Base");
    expectMessage(await importWallet(user, newEvmKey()), 403, /\b10\b.*\bBase\b/);
    expect(await walletsOf(user)).toHaveLength(12);
  });

  test("Pro has a limit of its own, which 60 imports at once do not get past", async () => {
    const user = await knownUser();
    await admin("set-user", user.id, "--tier", "Pro");

    const answers = await Promise.all(Array.from({ length: 60 }, () => importWallet(user, newEvmKey())));

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expectMessage(answer, 403, /\b50\b.*\bPro\b/);
    const wallets = await walletsOf(user);
    expect(wallets).toHaveLength(50);
    expect(new Set(wallets.map(({ slotName }) => slotName)).size).toBe(50);
  });
});

describe("A user's XP", () => {
  test.each([
    [99, 1, 1],
    [100, 2, 300],
    [1_200, 4, 400],
  ])("of %d are level %d, and %d are missing to the next", async (xp, level, missing) => {
    const user = await knownUser();

    await admin("set-user", user.id, "--xp", `${xp}`);

    expect(await profileOf(user)).toMatchObject({
      Level: level,
      xpRemainingForNextLevel: missing,
      Xp: { total: xp, daily: xp, weekly: xp, monthly: xp },
    });
  });
});
