import { beforeEach, describe, expect, it } from "vitest";
import { nameOf } from "../../lib/markets/core/market.ts";
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

const holds = (userID: string, name = nameOf(token)) => holdings.heldBy(userID)?.has(name);

describe("HeldTokens", () => {
  it("reads users' positions again after five minutes, and uses the known ones until then", async () => {
    await holdings.refresh(["ann"], 0);
    held.ann = [];
    await holdings.refresh(["ann"], 5 * minutesMs - 1);
    expect([holds("ann"), asked]).toEqual([true, ["ann"]]);
    expect(holds("ann", "eth 0xa")).toBe(false);
    await holdings.refresh(["ann"], 5 * minutesMs);
    expect([holds("ann"), asked]).toEqual([false, ["ann", "ann"]]);
  });

  it("returns the same set, with the same revision, until the positions of a user change", async () => {
    await holdings.refresh(["ann"], 0);
    const [before, { revision }] = [holdings.heldBy("ann"), holdings];
    await holdings.refresh(["ann"], 5 * minutesMs);
    expect([holdings.heldBy("ann"), holdings.revision]).toEqual([before, revision]);
    expect(holdings.heldBy("ann")).toBe(before);
    held.ann = [{ ...token, token: "0xb" as never }];
    await holdings.refresh(["ann"], 10 * minutesMs);
    expect([holds("ann"), holdings.revision]).toEqual([false, revision + 1]);
  });

  it("forgets users who no longer follow anything", async () => {
    await holdings.refresh(["ann"], 0);
    await holdings.refresh([], 1000);
    expect(holds("ann")).toBeUndefined();
    await holdings.refresh(["ann"], 2000);
    expect([holds("ann"), asked]).toEqual([true, ["ann", "ann"]]);
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
    expect(users.every((userID) => holds(userID))).toBe(true);
  });

  it("reads all of 10,000 users before it reads one of them again", async () => {
    const users = Array.from({ length: 10_000 }, (_, index) => `user ${index}`);
    for (const userID of users) held[userID] = [token];
    for (let second = 0; second < 300; second++) await holdings.refresh(users, second * 1000);
    expect(new Set(asked).size).toBe(users.length);
    expect(asked).toHaveLength(users.length);
  });

  it("lets others take their turn before it repeats a failed reading", async () => {
    const users = Array.from({ length: 40 }, (_, index) => `user ${index}`);
    for (const userID of users.slice(20)) held[userID] = [token];
    await expect(holdings.refresh(users, 0)).rejects.toThrow();
    await holdings.refresh(users, 1000);
    expect(users.slice(20).every((userID) => holds(userID))).toBe(true);
  });

  it("takes over what another run knew, and reads it only when it is due", async () => {
    await holdings.refresh(["ann"], 0);
    held.bob = [];
    const next = new HeldTokens(async (userID) => {
      asked.push(`${userID} again`);
      return held[userID] ?? [];
    });
    const notes = holdings.notes();
    expect(JSON.stringify(notes)).not.toContain("ann");
    next.inherit(notes, []);
    expect(next.heldBy("ann")).toBeUndefined();
    next.inherit(notes, ["ann", "bob"]);
    expect(next.heldBy("ann")?.has(nameOf(token))).toBe(true);
    expect(next.revision).toBe(1);
    await next.refresh(["ann", "bob"], 4 * minutesMs);
    expect(asked).toEqual(["ann", "bob again"]);
    await next.refresh(["ann", "bob"], 5 * minutesMs);
    expect(asked).toEqual(["ann", "bob again", "ann again"]);
  });

  it("takes over what is known about a user who comes back later", async () => {
    await holdings.refresh(["ann"], 0);
    const next = new HeldTokens(() => Promise.reject(new Error("nothing is due")));
    next.inherit(holdings.notes(), []);
    await next.refresh(["ann"], 1000);
    expect(next.heldBy("ann")?.has(nameOf(token))).toBe(true);
  });

  it("reports a failure after reading the other users, and tries again after half a minute", async () => {
    const refresh = (nowMs: number) => holdings.refresh(["bob", "ann"], nowMs);
    await expect(refresh(0)).rejects.toThrow("no answer about bob");
    expect(holds("ann")).toBe(true);
    held.bob = [token];
    await refresh(30_000);
    expect([holds("bob"), asked]).toEqual([true, ["bob", "ann", "bob"]]);
  });
});
