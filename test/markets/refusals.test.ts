import { describe, expect, it } from "vitest";
import type { TokenName } from "../../lib/markets/core/market.ts";
import type { Follower } from "../../lib/markets/demand.ts";
import { Refusals } from "../../lib/markets/refusals.ts";
import { ShardFollowers } from "../../lib/markets/shard-followers.ts";

const named = (token: string): TokenName => ({ chain: "base", token });
const follower = (userID: string, connectionId: string, ...tokens: string[]): Follower => ({
  userID,
  connectionId,
  shard: 0,
  tokens: tokens.map(named),
});

function serving(...followers: readonly Follower[]) {
  const shard = new ShardFollowers();
  for (const each of followers) shard.add(each);
  const refusals = new Refusals((name) => ({
    ...name,
    flags: ["TOO_MANY_TOKENS"],
    revision: 0,
    block: 1,
    asOf: "",
  }));
  const told = (
    sinceMs: number,
    { newcomers = [] as string[], isFull = false, nowMs = sinceMs + 1001 } = {},
  ) =>
    refusals
      .for(shard, { sinceMs, newcomers: new Set(newcomers), isFull }, nowMs)
      .map(({ connectionId, records }) => [connectionId, records.map(({ record }) => record.token).join()]);
  return { refusals, shard, told };
}

describe("Refusals", () => {
  it("tells only the connections of the user that follow the token, and each refusal once", () => {
    const { refusals, told } = serving(
      follower("ann", "a1", "0x1", "0x2"),
      follower("ann", "a2", "0x3"),
      follower("bob", "b1", "0x1"),
    );
    refusals.replace(new Map([["ann", [named("0x1"), named("0x3")]]]), 5000);
    expect(told(4999)).toEqual([
      ["a1", "0x1"],
      ["a2", "0x3"],
    ]);
    expect(told(5000)).toEqual([]);
    refusals.replace(new Map([["ann", [named("0x1"), named("0x2")]]]), 7000);
    expect(told(5000)).toEqual([["a1", "0x2"]]);
  });

  it("repeats them to a new connection, and to all connections in a full delivery", () => {
    const { refusals, shard, told } = serving(follower("ann", "a1", "0x1"));
    refusals.replace(new Map([["ann", [named("0x1")]]]), 5000);
    shard.add(follower("ann", "a2", "0x1"));
    expect(told(6000, { newcomers: ["a2"] })).toEqual([["a2", "0x1"]]);
    expect(told(6000, { isFull: true })).toHaveLength(2);
    refusals.replace(new Map(), 7000);
    expect(told(6000, { isFull: true })).toEqual([]);
  });

  it("tells at most 2,000 at a time, and the others in the next deliveries", () => {
    const users = Array.from({ length: 350 }, (_, index) => `user ${index}`);
    const names = (userID: string) => Array.from({ length: 20 }, (_, index) => `${userID} ${index}`);
    const { refusals, told } = serving(
      ...users.map((userID) => follower(userID, `of ${userID}`, ...names(userID))),
    );
    refusals.replace(new Map(users.map((userID) => [userID, names(userID).map(named)])), 5000);
    const all = new Set<string>();
    for (let second = 0; second < 4; second++) {
      const own = told(4999 + 1000 * second);
      expect(own.length).toBe(second < 3 ? 100 : 50);
      for (const [connectionId = ""] of own) all.add(connectionId);
    }
    expect(all.size).toBe(350);
    expect(told(9999)).toEqual([]);
  });
});
