import { beforeEach, describe, expect, it } from "vitest";
import { HeldTokens } from "../../lib/markets/held-tokens.ts";

const token = { chain: "base", token: "0xa" } as const;
const minutesMs = 60_000;

let held: Record<string, (typeof token)[]>;
let asked: string[];
let holdings: HeldTokens;
beforeEach(() => {
  [held, asked] = [{ ann: [token] }, []];
  holdings = new HeldTokens(async (userID) => {
    asked.push(userID);
    const tokens = held[userID];
    if (tokens === undefined) throw new Error(`no answer about ${userID}`);
    return tokens;
  });
});

describe("HeldTokens", () => {
  it("reads users' positions again after five minutes, and uses the known ones until then", async () => {
    await holdings.refresh(["ann"], 0);
    held.ann = [];
    await holdings.refresh(["ann"], 5 * minutesMs - 1);
    expect([holdings.has("ann", token), asked]).toEqual([true, ["ann"]]);
    expect(holdings.has("ann", { ...token, chain: "eth" } as never)).toBe(false);
    await holdings.refresh(["ann"], 5 * minutesMs);
    expect([holdings.has("ann", token), asked]).toEqual([false, ["ann", "ann"]]);
  });

  it("forgets users who no longer follow anything", async () => {
    await holdings.refresh(["ann"], 0);
    await holdings.refresh([], 1000);
    expect(holdings.has("ann", token)).toBeUndefined();
    await holdings.refresh(["ann"], 2000);
    expect([holdings.has("ann", token), asked]).toEqual([true, ["ann", "ann"]]);
  });

  it("reads the positions of 20 users at a time, and of all users in turn", async () => {
    const users = Array.from({ length: 45 }, (_, index) => `user ${index}`);
    for (const userID of users) held[userID] = [token];
    const counts: number[] = [];
    for (const nowMs of [0, 1000, 2000, 3000]) {
      await holdings.refresh(users, nowMs);
      counts.push(asked.length);
    }
    expect(counts).toEqual([20, 40, 45, 45]);
    expect(users.every((userID) => holdings.has(userID, token))).toBe(true);
  });

  it("reports a failure after reading the other users, and tries again next time", async () => {
    const refresh = (nowMs: number) => holdings.refresh(["bob", "ann"], nowMs);
    await expect(refresh(0)).rejects.toThrow("no answer about bob");
    expect(holdings.has("ann", token)).toBe(true);
    held.bob = [token];
    await refresh(1000);
    expect([holdings.has("bob", token), asked]).toEqual([true, ["bob", "ann", "bob"]]);
  });
});
