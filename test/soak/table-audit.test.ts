import { describe, expect, it } from "vitest";
import { executionsIn, type Item, problemsOfTable, valuesIn } from "./table-audit.ts";

const users = [
  { id: "ann", referrerId: undefined },
  { id: "ben", referrerId: "ann" },
];

const good: Item[] = [
  { PK: "USER#ann", SK: "PROFILE", userID: "ann", refID: "A", walletCount: 1, usersReferred: 1 },
  { PK: "USER#ann", SK: "PROFILE#REFERRAL#8#ben", username: "Ben" },
  { PK: "WALLETS#ann", SK: "WALLET#eth#0xA", UserID: "ann", slot: 1 },
  { PK: "TRADES#ann", SK: "ORDER#o1", userID: "ann", version: 3 },
  { PK: "TRADES#ann", SK: "POSITION#p1", userID: "ann", version: 2 },
  { PK: "REFCODE#A", SK: "REFCODE", userID: "ann" },
  { PK: "USER#ben", SK: "PROFILE", userID: "ben", refID: "B", walletCount: 0, usersReferred: 0 },
  { PK: "REFCODE#B", SK: "REFCODE", userID: "ben" },
  { PK: "USER#other", SK: "PROFILE", userID: "other", refID: "C", walletCount: 7, usersReferred: 7 },
];

/** Builds the correct items with changes to those under one sort key. */
const changed = (SK: string, changes: object) =>
  good.map((item) => (item.SK === SK && item.PK !== "USER#ben" ? { ...item, ...changes } : item));
const without = (SK: string) => good.filter((item) => item.SK !== SK);

describe("problemsOfTable", () => {
  it("accepts correct counters and ignores other users", () => {
    expect(problemsOfTable(good, users)).toEqual([]);
  });

  it.each<[problem: string, items: Item[]]>([
    ["walletCount of ann is 1 instead of 0", without("WALLET#eth#0xA")],
    ["walletCount of ann is 1 instead of 0", changed("WALLET#eth#0xA", { retiredAt: "2026-11-22" })],
    ["ben has no profile", good.filter(({ PK }) => PK !== "USER#ben")],
    ["ORDER#o1 of ann names another owner", changed("ORDER#o1", { userID: "ben" })],
    ["WALLET#eth#0xA of ann names another owner", changed("WALLET#eth#0xA", { UserID: "ben" })],
    ["the referral code B of ben is stored as ", good.filter(({ PK }) => PK !== "REFCODE#B")],
    ["the wallets of ann have the slots 2", changed("WALLET#eth#0xA", { slot: 2 })],
    [
      "the wallets of ann have the slots 1, 1",
      [...good, { PK: "WALLETS#ann", SK: "WALLET#sol#B", UserID: "ann", slot: 1 }],
    ],
    ["usersReferred of ann is 2 instead of 1", changed("PROFILE", { usersReferred: 2 })],
    [
      "the referral of ben still waits for its credit",
      [...good, { PK: "REFERRALS", SK: "2026#ben", referrerId: "ann", userID: "ben" }],
    ],
    ["lost: ann referred ben", without("PROFILE#REFERRAL#8#ben")],
    [
      "a referral is listed twice",
      [...good, { PK: "USER#ann", SK: "PROFILE#REFERRAL#9#ben", username: "Ben" }],
    ],
    ["untrue: ben referred ann", [...good, { PK: "USER#ben", SK: "PROFILE#REFERRAL#9#ann" }]],
  ])("reports that %s", (problem, items) => {
    expect(problemsOfTable(items, users)).toContain(problem);
  });
});

describe("executionsIn", () => {
  it("returns the versions of a user's orders and positions", () => {
    expect(Object.fromEntries(executionsIn(good, "ann"))).toEqual({ o1: 3, p1: 2 });
    expect(executionsIn(good, "ben").size).toBe(0);
  });
});

describe("valuesIn", () => {
  it("returns the tier, points and XP from a user's profile", () => {
    const profile = { PK: "USER#ann", SK: "PROFILE", tier: "Pro", points: 7, experience: { total: 9 } };
    expect(valuesIn([profile], "ann")).toEqual({ tier: "Pro", points: 7, xp: 9 });
    expect(valuesIn([profile], "ben")).toEqual({});
  });
});
