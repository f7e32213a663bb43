import { describe, expect, it } from "vitest";
import {
  areForgotten,
  fallbackKeyName,
  fallbackKeyOf,
  fallbackKeyValue,
  fallbackNumberIn,
  maxFallbackKeys,
  roomForUsers,
  usableCount,
  withAtMost,
  withMore,
} from "../../lib/plans/fallback-keys.ts";

const users = Array.from({ length: 4000 }, (_, index) => `user-${index}`);

describe("fallbackKeyOf", () => {
  it.each([1, 7, 500])("spreads users evenly over %i keys", (count) => {
    const members = new Array<number>(count).fill(0);
    for (const userID of users) {
      const number = fallbackKeyOf(userID, count);
      members[number] = (members[number] ?? Number.NaN) + 1;
    }
    const mean = users.length / count;
    // Allows a deviation of six standard deviations.
    for (const each of members) expect(Math.abs(each - mean)).toBeLessThanOrEqual(6 * Math.sqrt(mean));
  });

  it.each([
    [500, 501],
    [500, 1000],
    [1000, maxFallbackKeys],
  ])("assigns different keys only to as many users as necessary when %i keys become %i", (few, many) => {
    const moved = users.filter((userID) => fallbackKeyOf(userID, few) !== fallbackKeyOf(userID, many));
    for (const userID of moved) expect(fallbackKeyOf(userID, many)).toBeGreaterThanOrEqual(few);
    const expected = ((many - few) / many) * users.length;
    expect(Math.abs(moved.length - expected)).toBeLessThan(6 * Math.sqrt(expected));
  });

  it("chooses the same key in every process", () => {
    expect(["alice", "bob", ""].map((userID) => fallbackKeyOf(userID, 500))).toEqual([361, 230, 22]);
  });
});

describe("roomForUsers", () => {
  it("leaves 500 keys of the account to other plans", () => {
    expect([500, maxFallbackKeys].map(roomForUsers)).toEqual([9000, 1500]);
  });
});

describe("the name of a key", () => {
  it("contains the number of the key, and differs from names of other keys", () => {
    expect([0, 7, 7999].map(fallbackKeyName)).toEqual(["0000", "0007", "7999"]);
    expect(["0000", "0007", "7999"].map(fallbackNumberIn)).toEqual([0, 7, 7999]);
    for (const other of ["", "7", "00007", "user/0007", "000a"])
      expect(fallbackNumberIn(other)).toBeUndefined();
  });
});

describe("the value of a key", () => {
  it("derives 40 hexadecimal digits from the number and the shared key", () => {
    const values = ["one", "another"].flatMap((sharedKey) =>
      [0, 1, 7999].map((number) => fallbackKeyValue(sharedKey, number)),
    );
    for (const value of values) expect(value).toMatch(/^[\da-f]{40}$/);
    expect(new Set(values).size).toBe(values.length);
  });
});

describe("the usable keys", () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 9, minute));
  const entry = (count: number, minute: number) => ({ count, from: at(minute).toISOString() });

  it("makes keys usable from the time of each addition, and none before the first addition", () => {
    const usable = withMore(withMore([], { count: 3, from: at(2) }, at(0)), { count: 5, from: at(7) }, at(5));
    expect([0, 1, 2, 6, 7, 60].map((minute) => usableCount(usable, at(minute)))).toEqual([0, 0, 3, 3, 5, 5]);
  });

  it("keeps the usable keys when an addition contains no more keys", () => {
    const usable = withMore([], { count: 3, from: at(2) }, at(0));
    expect(withMore(usable, { count: 3, from: at(9) }, at(8))).toBe(usable);
    expect(withMore(usable, { count: 2, from: at(9) }, at(8))).toBe(usable);
  });

  it("forgets entries that an addition has made obsolete", () => {
    const usable = [entry(3, 2), entry(5, 7)];
    expect(withMore(usable, { count: 6, from: at(10) }, at(8))).toEqual([entry(5, 7), entry(6, 10)]);
  });

  it("reduces the usable keys at once, and cancels keys that are not usable yet", () => {
    const usable = withAtMost([entry(3, 2), entry(9, 7)], 4, at(5));
    expect([4, 5, 60].map((minute) => usableCount(usable, at(minute)))).toEqual([3, 3, 3]);
    expect(usableCount(withAtMost([entry(9, 7)], 4, at(8)), at(8))).toBe(4);
    expect(usableCount(withAtMost([entry(9, 7)], 4, at(5)), at(60))).toBe(0);
  });

  it("keeps the usable keys if their number does not exceed a new limit", () => {
    const usable = [entry(3, 2), entry(9, 7)];
    expect(withAtMost(usable, 9, at(5))).toBe(usable);
  });

  it("treats keys as forgotten ten minutes after they were last usable", () => {
    const usable = withAtMost([entry(9, 0)], 4, at(20));
    expect([20, 29, 30].map((minute) => areForgotten(usable, 4, at(minute)))).toEqual([false, false, true]);
    expect(areForgotten([entry(9, 0)], 4, at(60))).toBe(false);
    expect(areForgotten([entry(4, 0), entry(9, 61)], 4, at(60))).toBe(false);
    expect(areForgotten([], 4, at(60))).toBe(false);
  });
});
