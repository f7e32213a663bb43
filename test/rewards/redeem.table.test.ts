import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, describe, expect, it, vi } from "vitest";
import { readPointsLines } from "../../lib/rewards/points-records.ts";
import { readRedemptions } from "../../lib/rewards/redemption-records.ts";
import { readStock, setStock } from "../../lib/rewards/stock-records.ts";
import { profileKey } from "../../lib/users/item-keys.ts";
import { readOwnProfile } from "../../lib/users/profile-records.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { interceptedTable } from "../support/intercepted-table.ts";
import { putItems } from "../support/items.ts";
import { buying, codeOf, ledgerOf, reward, userWith } from "../support/rewards.ts";

const db = tableForTests();

const catalogue = [
  reward("mug"),
  reward("cap"),
  reward("course", { stock: -1, cost: 30 }),
  reward("free", { cost: 0, stock: -1 }),
  reward("rare", { stock: 7 }),
  reward("gone", { stock: 0 }),
  reward("later", { available: false, stock: 0 }),
];
const buy = buying(() => db.table, catalogue);
/** Buys as a client does, and retries while a reward is busy. */
async function buyPatiently(userID: string, rewardId: string, key: string): Promise<string> {
  const code = await codeOf(buy(userID, rewardId, key));
  return code === "REWARD_BUSY" ? buyPatiently(userID, rewardId, key) : code;
}

const ofUser = async (userID: string) =>
  (await readRedemptions(db.table, userID, { limit: 100 })).redemptions;

afterEach(() => void vi.restoreAllMocks());

describe("redeem", () => {
  it("takes one from the stock and its price in points, and records the purchase", async () => {
    await userWith(db.table, "ann", 250);
    const { redemption, points, isReplayed } = await buy("ann", "mug", "k1");
    expect({ points, isReplayed }).toEqual({ points: 150, isReplayed: false });
    expect(redemption).toMatchObject({
      redemptionId: expect.stringMatching(/^[\dA-Z]{26}$/),
      userID: "ann",
      rewardId: "mug",
      name: "The mug",
      cost: 100,
      status: "pending",
      version: 1,
      isLimited: true,
    });
    expect(redemption.updatedAt).toBe(redemption.createdAt);
    expect(await ofUser("ann")).toEqual([expect.objectContaining(redemption)]);
    expect(await readStock(db.table, "mug")).toBe(4);
    expect(await ledgerOf(db.table, "ann")).toEqual({
      points: 150,
      lines: [
        ["opening", 250],
        ["redeemed", -100],
      ],
    });
  });

  it("opens a ledger once, and counts no stock for an unlimited reward", async () => {
    await userWith(db.table, "bea", 60);
    for (const key of ["k1", "k2"]) await buy("bea", "course", key);
    expect(await ledgerOf(db.table, "bea")).toEqual({
      points: 0,
      lines: [
        ["opening", 60],
        ["redeemed", -30],
        ["redeemed", -30],
      ],
    });
    expect(await readStock(db.table, "course")).toBeUndefined();
  });

  it("sells a free reward to a user without points", async () => {
    await userWith(db.table, "poor", 0);
    expect(await codeOf(buy("poor", "free", "k"))).toBe("done");
    expect(await ledgerOf(db.table, "poor")).toMatchObject({ points: 0 });
  });

  it("returns the earlier purchase for a repeated key, even if the reward is sold out", async () => {
    await setStock(db.table, "cap", 1);
    await userWith(db.table, "cat", 100);
    const { redemption } = await buy("cat", "cap", "k1");
    expect(await buy("cat", "cap", "k1")).toEqual({
      redemption: expect.objectContaining(redemption),
      points: 0,
      isReplayed: true,
    });
    expect(await readStock(db.table, "cap")).toBe(0);
  });

  it("buys once when ten identical requests arrive at once", async () => {
    await userWith(db.table, "dan", 1000);
    const answers = await Promise.all(Array.from({ length: 10 }, () => buy("dan", "course", "k")));
    expect(new Set(answers.map(({ redemption }) => redemption.redemptionId)).size).toBe(1);
    expect(answers.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
    expect(await ofUser("dan")).toHaveLength(1);
    expect(await ledgerOf(db.table, "dan")).toMatchObject({ points: 970 });
  });

  it("buys once if the same request completes between this request's read and write", async () => {
    await userWith(db.table, "dot", 30);
    // Enough points remain, so only the key and the number of the next line prevent a second purchase.
    await buy("dot", "course", "before");
    let other: Promise<unknown> | undefined;
    const slow = interceptedTable(db.table, async (command) => {
      if (!(command instanceof TransactWriteCommand) || other !== undefined) return;
      other = buy("dot", "free", "k", new Date(0));
      await other;
    });
    expect(await buying(() => slow, catalogue)("dot", "free", "k")).toMatchObject({ isReplayed: true });
    expect(await ofUser("dot")).toHaveLength(2);
  });

  it("takes points for each of several simultaneous purchases, and never more than the user has", async () => {
    await userWith(db.table, "dora", 100);
    const codes = await Promise.all(
      Array.from({ length: 6 }, (_, index) => buyPatiently("dora", "course", `k${index}`)),
    );
    expect(codes.toSorted()).toEqual([...Array(3).fill("INSUFFICIENT_POINTS"), ...Array(3).fill("done")]);
    expect(await ledgerOf(db.table, "dora")).toMatchObject({ points: 10 });
  });

  it("treats equal keys of two users as different keys", async () => {
    for (const userID of ["eve", "fay"]) {
      await userWith(db.table, userID, 30);
      expect(await buy(userID, "course", "same")).toMatchObject({ points: 0, isReplayed: false });
    }
  });

  it("rejects a key that was used to buy a different reward, and names that purchase", async () => {
    await userWith(db.table, "gus", 500);
    const { redemption } = await buy("gus", "course", "k");
    await expect(buy("gus", "free", "k")).rejects.toMatchObject({
      code: "IDEMPOTENCY_KEY_REUSED",
      details: { redemptionId: redemption.redemptionId },
    });
  });

  it.each([
    ["IDEMPOTENCY_KEY_MISSING", "mug", undefined],
    ["REWARD_NOT_FOUND", "nothing", "k"],
    ["REWARD_UNAVAILABLE", "later", "k"],
    ["OUT_OF_STOCK", "gone", "k"],
    ["INSUFFICIENT_POINTS", "mug", "k"],
  ])("rejects with %s, without writing", async (code, rewardId, key) => {
    const userID = await userWith(db.table, `refused ${code}`, 99);
    expect(await codeOf(buy(userID, rewardId, key))).toBe(code);
    expect(await readPointsLines(db.table, userID)).toEqual([]);
    expect(await readOwnProfile(db.table, userID)).toMatchObject({ points: 99 });
    expect(await ofUser(userID)).toEqual([]);
  });

  it("names the number of missing points", async () => {
    await userWith(db.table, "hal", 29);
    await expect(buy("hal", "course", "k")).rejects.toMatchObject({
      message: "The course costs 30 points, and 29 are available",
      details: { needed: 30, available: 29 },
    });
  });

  it("gives up after eight conflicts, and buys nothing", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    await userWith(db.table, "ida", 100);
    const conflict = new TransactionCanceledException({
      $metadata: {},
      message: "cancelled",
      CancellationReasons: [{ Code: "TransactionConflict" }],
    });
    let tries = 0;
    const contended = interceptedTable(db.table, (command) => {
      if (!(command instanceof TransactWriteCommand)) return;
      tries++;
      throw conflict;
    });
    expect(await codeOf(buying(() => contended, catalogue)("ida", "course", "k"))).toBe("REWARD_BUSY");
    expect(tries).toBe(8);
    expect(await ofUser("ida")).toEqual([]);
  });

  it("gives up after three seconds", async () => {
    await userWith(db.table, "joe", 100);
    const conflict = new TransactionCanceledException({
      $metadata: {},
      message: "cancelled",
      CancellationReasons: [{ Code: "TransactionConflict" }],
    });
    vi.spyOn(Math, "random").mockReturnValue(0);
    const times = [0, 1000, 2999, 3000];
    vi.spyOn(Date, "now").mockImplementation(() => times.shift() ?? 3000);
    const contended = interceptedTable(db.table, (command) => {
      if (command instanceof TransactWriteCommand) throw conflict;
    });
    expect(await codeOf(buying(() => contended, catalogue)("joe", "course", "k"))).toBe("REWARD_BUSY");
  });
});

describe("200 simultaneous redemptions by 50 users of the last 7 in stock", () => {
  it("leaves no stock, 7 redemptions, and the right number of points in every ledger", async () => {
    // A third of the users can pay for two rewards, a third for one, and a third for none. Each user sends two keys
    // twice.
    const users = Array.from({ length: 50 }, (_, index) => `racer ${index}`);
    const pointsOf = (index: number) => [250, 100, 99][index % 3] ?? 0;
    const profiles = users.map((userID, index) => ({
      ...profileKey(userID),
      userID,
      points: pointsOf(index),
    }));
    await putItems(db.table, profiles);
    const codes = await Promise.all(
      ["k1", "k2", "k1", "k2"].flatMap((key) => users.map((userID) => buyPatiently(userID, "rare", key))),
    );

    expect(new Set(codes)).toEqual(new Set(["done", "OUT_OF_STOCK", "INSUFFICIENT_POINTS"]));
    expect(await readStock(db.table, "rare")).toBe(0);
    const owned = await Promise.all(users.map(ofUser));
    expect(owned.flat()).toHaveLength(7);
    for (const [index, userID] of users.entries()) {
      const redeemed = (owned[index] ?? []).map(({ cost }) => ["redeemed", -cost]);
      const lines = redeemed.length > 0 ? [["opening", pointsOf(index)], ...redeemed] : [];
      const points = pointsOf(index) - 100 * redeemed.length;
      expect(await ledgerOf(db.table, userID)).toEqual({ points, lines });
    }
  });
});
