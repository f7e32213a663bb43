import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Price } from "../../lib/prices/price.ts";
import { type CreditingDeps, creditTrades } from "../../lib/rewards/credit-trades.ts";
import type { EarnedFill, EarnedRow } from "../../lib/rewards/earned-row.ts";
import { earnedKey } from "../../lib/rewards/item-keys.ts";
import { readPointsLines } from "../../lib/rewards/points-records.ts";
import { readLeaderboard } from "../../lib/rewards/standing-records.ts";
import { updateProfile } from "../../lib/rewards/update-profile.ts";
import { type Item, readItem, type Table } from "../../lib/table/table.ts";
import { write } from "../../lib/table/write.ts";
import { profileKey, progressKey } from "../../lib/users/item-keys.ts";
import { type Profile, remainsOf } from "../../lib/users/profile.ts";
import { changeProfile, readOwnProfile, readProfile } from "../../lib/users/profile-records.ts";
import { tableForTests } from "../support/dynamodb.ts";
import {
  earnedFill,
  earningRules,
  pricesAt,
  sameShard,
  storedRow,
  traderProfile,
  waitingRows,
} from "../support/earning.ts";
import { interceptedTable } from "../support/intercepted-table.ts";
import { itemsNamed, putItems } from "../support/items.ts";
import { shortPausesForTests } from "../support/short-pauses.ts";

shortPausesForTests();
const db = tableForTests();

const start = new Date("2026-11-30T12:00:00.000Z");
const at = start.toISOString();
const later = (minutes: number) => new Date(start.getTime() + minutes * 60_000);

let table: Table;
const onFault = vi.fn();
beforeEach(async () => {
  table = await db.newTable();
  onFault.mockReset();
});

const run = (deps: Partial<CreditingDeps> = {}, minutes = 0) =>
  creditTrades({
    table,
    rules: earningRules,
    prices: async () => pricesAt(later(minutes)),
    now: () => later(minutes),
    hasTime: () => true,
    onFault,
    ...deps,
  });

const join = (userID: string, changes: Partial<Profile> = {}) =>
  putItems(table, [{ ...profileKey(userID), ...traderProfile(userID, start, changes) }]);

const settle = (...rows: EarnedRow[]) => putItems(table, rows.map(storedRow) as unknown as Item[]);

const fillsOf = (userID: string, count: number, changes: Partial<EarnedFill> & { dollars?: number } = {}) =>
  Array.from({ length: count }, (_, index) => earnedFill(userID, `${userID}-${index}`, at, changes));

/** What the user has, after checking it against the ledger. */
async function creditedTo(userID: string) {
  const [profile, lines] = [await readOwnProfile(table, userID), await readPointsLines(table, userID)];
  const sum = (name: "change" | "xp") => lines.reduce((total, line) => total + (line[name] ?? 0), 0);
  expect([sum("change"), sum("xp")]).toEqual([profile.points, profile.experience.total]);
  const orderIds = lines.flatMap((line) => line.orderIds ?? []);
  expect(new Set(orderIds).size).toBe(orderIds.length);
  return {
    xp: profile.experience.total,
    points: profile.points,
    orders: orderIds.length,
    lines: lines.length,
  };
}

const waiting = async () => (await waitingRows(table)).length;

describe("creditTrades", () => {
  it("credits fills once, and shares with the referrer", async () => {
    await join("bob");
    await join("ann", { referrerId: "bob" });
    await settle(...fillsOf("ann", 3));
    await run();
    expect(await creditedTo("ann")).toEqual({ xp: 300, points: 30, orders: 3, lines: 2 });
    const [, line] = await readPointsLines(table, "ann");
    expect(line).toMatchObject({ reason: "traded", change: 30, xp: 300, microDollars: "300000000" });
    await run({}, 2);
    expect(await creditedTo("bob")).toMatchObject({ xp: 30, points: 3 });
    expect((await readPointsLines(table, "bob")).at(-1)).toMatchObject({ reason: "referred" });
    expect(await waiting()).toBe(0);
    expect(await readItem(table, progressKey("bob"))).toEqual({
      ...progressKey("bob"),
      userID: "bob",
      Level: 1,
      Xp: { total: 30, daily: 30, weekly: 30, monthly: 30 },
      xpRemainingForNextLevel: 70,
      tradeStreakCount: 0,
      Ranked: false,
      points: 3,
      version: later(2).getTime(),
    });
    const before = await readProfile(table, "ann");
    await run({}, 4);
    expect(await readProfile(table, "ann")).toEqual(before);
    expect(onFault).not.toHaveBeenCalled();
  });

  it("lists a user from the credit that makes the user ranked, in one row of each leaderboard", async () => {
    const shown = async (minutes: number) => {
      const now = later(minutes);
      return (await readLeaderboard(table, { userID: "bob", window: "weekly", now })).entries;
    };
    await join("ann", { publicName: "Ann" });
    await settle(earnedFill("ann", "first", at, { filledAt: later(-24 * 60).toISOString() }));
    await run();
    expect(await shown(0)).toEqual([]);
    for (const [index, xp] of [200, 300].entries()) {
      const minutes = 2 * (index + 1);
      await settle(earnedFill("ann", `order ${index}`, later(minutes).toISOString()));
      await run({}, minutes);
      expect(await shown(minutes)).toEqual([{ rank: 1, publicName: "Ann", xp, Level: 2 }]);
    }
    expect(await itemsNamed(table, "LEADERBOARD")).toHaveLength(3);
    expect(onFault).not.toHaveBeenCalled();
  });

  it("credits a user who takes the name back meanwhile only in the next run, and lists nobody", async () => {
    await join("ann", { publicName: "Ann", ranked: true });
    await settle(...fillsOf("ann", 1));
    let isFirst = true;
    const meanwhile = interceptedTable(table, async (command) => {
      if (!(command instanceof TransactWriteCommand) || !isFirst) return;
      isFirst = false;
      await updateProfile(table, { userID: "ann", changes: { publicName: null }, now: start });
    });
    await run({ table: meanwhile });
    expect(await waiting()).toBe(1);
    await run();
    expect(await creditedTo("ann")).toMatchObject({ xp: 100 });
    expect(await itemsNamed(table, "LEADERBOARD")).toEqual([]);
  });

  it("credits at most 40 rows of one user in a transaction", async () => {
    const sizes: number[] = [];
    let announced = 0;
    const counted = interceptedTable(table, (command) => {
      if (!(command instanceof TransactWriteCommand)) return;
      const { TransactItems = [] } = command.input;
      sizes.push(TransactItems.filter(({ Delete }) => Delete).length);
      announced += TransactItems.filter(({ Put }) => Put?.Item?.SK === progressKey("ann").SK).length;
    });
    await join("ann");
    await settle(...fillsOf("ann", 95, { dollars: 6 }));
    await run({ table: counted });
    expect(sizes).toEqual([40, 40, 15]);
    expect(announced).toBe(1);
    expect(await creditedTo("ann")).toMatchObject({ xp: 570, points: 57, orders: 95 });
  });

  it("credits each of more than 40 shares once", async () => {
    await join("bob");
    const micro = { microXp: 1_000_000, microPoints: 1_000_000 };
    await settle(
      ...Array.from({ length: 45 }, (_, index) => {
        return { kind: "share", userID: "bob", ...micro, of: `share ${index}`, at } as const;
      }),
    );
    await run();
    expect(await creditedTo("bob")).toMatchObject({ xp: 45, points: 45 });
    const lines = (await readPointsLines(table, "bob")).flatMap(({ shares }) => (shares ? [shares] : []));
    expect(lines.map((shares) => shares.length)).toEqual([40, 5]);
    expect(new Set(lines.flat()).size).toBe(45);
    expect(await waiting()).toBe(0);
  });

  it.each([2, 3])("credits once if %i runs overlap", async (runs) => {
    const userIDs = ["ann", "bob"];
    for (const userID of userIDs) await join(userID, { referrerId: "dan" });
    await join("dan");
    await settle(...userIDs.flatMap((userID) => fillsOf(userID, 50, { dollars: 7 })));
    for (const minutes of [0, 2, 4]) await Promise.all(Array.from({ length: runs }, () => run({}, minutes)));
    for (const userID of userIDs)
      expect(await creditedTo(userID)).toMatchObject({ xp: 350, points: 35, orders: 50 });
    expect(await creditedTo("dan")).toMatchObject({ xp: 70, points: 7 });
    expect(await waiting()).toBe(0);
    expect(onFault).not.toHaveBeenCalled();
  });

  it("drops the rows of users who are unknown or deleted, and leaves what is left of a profile", async () => {
    const remains = remainsOf({ userID: "ann", pseudonym: "deleted-ann" }, start);
    await join("ann");
    await settle(...fillsOf("ann", 2), ...fillsOf("nobody", 2));
    let isDeleted = false;
    const meanwhile = interceptedTable(table, async (command) => {
      if (!(command instanceof TransactWriteCommand) || isDeleted) return;
      isDeleted = true;
      await write(table, { kind: "put", key: profileKey("ann"), item: remains });
    });
    await run({ table: meanwhile });
    expect(isDeleted).toBe(true);
    expect(await waiting()).toBe(2);
    await run();
    expect(await waiting()).toBe(0);
    expect(await readProfile(table, "ann")).toEqual({ ...profileKey("ann"), ...remains });
    expect(await readPointsLines(table, "ann")).toEqual([]);
  });

  it("credits a blocked user", async () => {
    await join("ann", { blockedAt: at });
    await settle(...fillsOf("ann", 1));
    await run();
    expect(await creditedTo("ann")).toMatchObject({ xp: 100 });
  });

  it("keeps fills waiting for the first price of their chain, and credits those of other chains", async () => {
    await join("ann");
    await join("bob");
    await settle(
      ...fillsOf("ann", 2, { chain: "sol", coinUnits: "1000000000" }),
      earnedFill("ann", "ann-eth", at),
      ...fillsOf("bob", 1, { chain: "sol", coinUnits: "2000000000" }),
    );
    const ofEther = (minutes: number) => pricesAt(later(minutes)).filter(({ chain }) => chain === "eth");
    for (const minutes of [0, 60, 1439]) await run({ prices: async () => ofEther(minutes) }, minutes);
    expect(await creditedTo("ann")).toMatchObject({ xp: 100, orders: 1 });
    expect(await waiting()).toBe(3);
    await run({}, 1440);
    expect(await creditedTo("ann")).toMatchObject({ xp: 300, orders: 3 });
    expect(await creditedTo("bob")).toMatchObject({ xp: 200 });
    expect((await readOwnProfile(table, "ann")).earnings?.tradingDays).toBe(1);
  });

  it("asks for prices once in a run, and only if fills wait", async () => {
    const prices = vi.fn(async (): Promise<Price[]> => []);
    await join("ann");
    await settle({ kind: "share", userID: "ann", microXp: 1_000_000, microPoints: 0, of: "x", at });
    await run({ prices });
    expect(prices).not.toHaveBeenCalled();
    expect(await creditedTo("ann")).toMatchObject({ xp: 1 });
    await settle(...fillsOf("ann", 2), ...fillsOf("bob", 2));
    await join("bob");
    await run({ prices }, 2);
    expect(prices).toHaveBeenCalledTimes(1);
  });

  it("continues after a row that it cannot read, and keeps it", async () => {
    const [ann = "", bob = ""] = sameShard();
    await join(bob);
    const broken = { ...storedRow(earnedFill(ann, "broken", at)), coinUnits: "-1" };
    const foreign = { ...earnedKey(ann, at, "foreign"), kind: "other", userID: ann };
    await putItems(table, [broken, foreign] as unknown as Item[]);
    await settle(earnedFill(bob, "good", later(1).toISOString()));
    await run({}, 2);
    expect(await creditedTo(bob)).toMatchObject({ xp: 100 });
    expect(await waiting()).toBe(2);
    expect(onFault).toHaveBeenCalledExactlyOnceWith(new Error("Earned rows are malformed"));
  });

  it("continues after a fault of one user, and credits that user in the next run", async () => {
    const [ann = "", bob = ""] = sameShard();
    for (const userID of [ann, bob]) await join(userID);
    await settle(...fillsOf(ann, 1), ...fillsOf(bob, 1));
    const fault = new Error("no");
    const failing = interceptedTable(table, (command) => {
      if (JSON.stringify((command as { input: unknown }).input).includes(profileKey(ann).PK)) throw fault;
    });
    await run({ table: failing });
    expect(onFault).toHaveBeenCalledExactlyOnceWith(fault);
    expect(await creditedTo(bob)).toMatchObject({ xp: 100 });
    await run();
    expect(await creditedTo(ann)).toMatchObject({ xp: 100 });
  });

  it("repeats a transaction that conflicts or is throttled", async () => {
    await join("ann");
    await settle(...fillsOf("ann", 1));
    const codes = ["TransactionConflict", "ThrottlingError"];
    const contended = interceptedTable(table, (command) => {
      const Code = command instanceof TransactWriteCommand && codes.pop();
      if (Code)
        throw new TransactionCanceledException({
          $metadata: {},
          message: "cancelled",
          CancellationReasons: [{ Code }],
        });
    });
    await run({ table: contended });
    expect(await creditedTo("ann")).toMatchObject({ xp: 100 });
    expect(onFault).not.toHaveBeenCalled();
  });

  it("leaves a user who spends points meanwhile to the next run", async () => {
    await join("ann", { points: 50 });
    await settle(...fillsOf("ann", 1));
    let spent: Promise<boolean> | undefined;
    const meanwhile = interceptedTable(table, async (command) => {
      if (!(command instanceof TransactWriteCommand) || spent !== undefined) return;
      spent = readOwnProfile(table, "ann").then((profile) => changeProfile(table, profile, { points: 20 }));
      await spent;
    });
    await run({ table: meanwhile });
    expect(await waiting()).toBe(1);
    await run();
    expect(await readOwnProfile(table, "ann")).toMatchObject({ points: 30, experience: { total: 100 } });
    expect(onFault).not.toHaveBeenCalled();
  });

  it("credits a user at most once a minute", async () => {
    await join("ann");
    for (const [minutes, expected] of [
      [0, 100],
      [0.99, 100],
      [1, 300],
    ] as const) {
      await settle(earnedFill("ann", `order-${minutes}`, later(minutes).toISOString()));
      await run({}, minutes);
      expect(await creditedTo("ann")).toMatchObject({ xp: expected });
    }
  });

  it("credits a user whose last credit a wrong clock has put into the future", async () => {
    await join("ann");
    for (const [order, minutes] of [
      ["first", 1440],
      ["second", 0],
    ] as const) {
      await settle(earnedFill("ann", order, at));
      await run({}, minutes);
    }
    expect(await creditedTo("ann")).toMatchObject({ xp: 200, orders: 2 });
  });

  it("begins no transaction if too little time is left, and continues in the next run", async () => {
    await join("ann");
    await settle(...fillsOf("ann", 90, { dollars: 5 }));
    let left = 3;
    await run({ hasTime: () => left-- > 0 });
    expect(await creditedTo("ann")).toMatchObject({ xp: 400, orders: 80 });
    await run();
    expect(await creditedTo("ann")).toMatchObject({ xp: 450, orders: 90 });
  });

  it("keeps the balance of a user from the time before ledgers", async () => {
    await join("ann", { points: 7 });
    await settle(...fillsOf("ann", 1));
    await run();
    const lines = await readPointsLines(table, "ann");
    expect(lines.map(({ reason, points }) => [reason, points])).toEqual([
      ["opening", 7],
      ["traded", 17],
    ]);
    expect(await readItem(table, profileKey("ann"))).toMatchObject({ points: 17, pointsChangedAt: at });
  });
});
