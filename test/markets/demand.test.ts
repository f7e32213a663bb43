import { beforeEach, describe, expect, it } from "vitest";
import { Demand, type Follower } from "../../lib/markets/demand.ts";
import type { FoundNews } from "../../lib/markets/items/news.ts";

const token = (name: string) => ({ chain: "base", token: name }) as const;
const follower = (connectionId: string, ...tokens: string[]): Follower => ({
  userID: "ann",
  connectionId,
  shard: 1,
  tokens: tokens.map(token),
});

let followers: Follower[];
let news: FoundNews[];
let reads: number;
let asked: number[];
let demand: Demand;
beforeEach(() => {
  [followers, news, reads, asked] = [[], [], 0, []];
  demand = new Demand(deps(), 1_000_000);
});

const deps = () => ({
  async *readFollowers() {
    reads++;
    yield followers;
  },
  async readNewsSince(sinceMs: number) {
    asked.push(sinceMs);
    return news.filter(({ atMs }) => atMs >= sinceMs - 2000);
  },
});

const failure: AsyncIterable<Follower[]> = {
  [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("throttled")) }),
};

const newsOf = (id: string, atMs: number, changes: Partial<FoundNews>): FoundNews => ({
  id,
  atMs,
  userID: "ann",
  tokens: [token("0xa")],
  ...changes,
});
const followed = () =>
  [...demand.followers.values()].map(({ connectionId, tokens }) => [connectionId, tokens.length]);

describe("Demand", () => {
  it("reads the list of followers every minute, and the news of markets every time", async () => {
    followers = [follower("c1", "0xa")];
    expect(await demand.read(1_000_000)).toBe(true);
    followers = [];
    expect(await demand.read(1_059_000)).toBe(true);
    expect(await demand.read(1_060_000)).toBe(false);
    expect([reads, asked]).toEqual([2, [400_000, 1_000_000, 1_059_000]]);
  });

  it("changes its revision when a request over REST ends", async () => {
    news = [newsOf("1", 1_000_000, {})];
    await demand.read(1_000_000);
    const { revision } = demand;
    news = [];
    await demand.read(1_600_000);
    expect([demand.wishes.length, demand.revision]).toEqual([1, revision]);
    await demand.read(1_600_001);
    expect([demand.wishes.length, demand.revision]).toEqual([0, revision + 1]);
  });

  it("adds newly followed tokens at once, and reports new connections once", async () => {
    followers = [follower("c1", "0xa")];
    await demand.read(1_000_000);
    news = [
      newsOf("1", 1_000_500, { connectionId: "c1", shard: 1, tokens: [token("0xa"), token("0xb")] }),
      newsOf("2", 1_000_600, { connectionId: "c2", shard: 3 }),
    ];
    await demand.read(1_001_000);
    expect(followed()).toEqual([
      ["c1", 2],
      ["c2", 1],
    ]);
    expect(demand.takeArrivals().map(({ connectionId, shard }) => [connectionId, shard])).toEqual([
      ["c1", 1],
      ["c2", 3],
    ]);
    await demand.read(1_002_000);
    expect(demand.takeArrivals()).toEqual([]);
  });

  it("ignores updates about connections that may have closed since they were read", async () => {
    news = [newsOf("1", 990_000, { connectionId: "gone", shard: 0 })];
    expect(await demand.read(1_000_000)).toBe(false);
  });

  it("counts a token as wanted for ten minutes after a request over REST", async () => {
    news = [newsOf("1", 500_000, {}), newsOf("2", 900_000, { tokens: [token("0xb")] })];
    await demand.read(1_000_000);
    expect(demand.wishes.flatMap(({ tokens }) => tokens.map((each) => each.token))).toEqual(["0xa", "0xb"]);
    news = [newsOf("3", 1_090_000, {})];
    await demand.read(1_090_000);
    await demand.read(1_600_000);
    expect(demand.wishes.flatMap(({ tokens }) => tokens.map((each) => each.token))).toEqual(["0xa"]);
    expect(await demand.read(1_700_000)).toBe(false);
  });

  it("keeps the interest of each user who asks for a token over REST, until ten minutes after that user's request", async () => {
    const usersAt = async (nowMs: number) => {
      await demand.read(nowMs);
      return demand.wishes.map(({ userID }) => userID).toSorted();
    };
    news = [newsOf("1", 900_000, {}), newsOf("2", 910_000, { userID: "bob" })];
    expect(await usersAt(1_000_000)).toEqual(["ann", "bob"]);
    news = [newsOf("3", 1_010_000, {})];
    expect(await usersAt(1_010_000)).toEqual(["ann", "bob"]);
    expect(await usersAt(1_511_000)).toEqual(["ann"]);
    expect(await usersAt(1_611_000)).toEqual([]);
  });

  it("knows tokens and followers of the chains that it reads, but counts all connections", async () => {
    const eth = { chain: "eth", token: "0xc" } as const;
    followers = [{ ...follower("c1", "0xa"), tokens: [token("0xa"), eth] }, follower("c2", "0xb")];
    const reads = (chain: string) => chain === "eth";
    const tokensOf = async (isAlone: boolean) => {
      demand = new Demand(deps(), 1_000_000, { reads, isAlone });
      await demand.read(1_000_000);
      news = [newsOf("1", 1_000_500, { connectionId: "c3", shard: 1 }), newsOf("2", 1_000_500, {})];
      await demand.read(1_001_000);
      expect([demand.connections, [...demand.byChain()]]).toEqual([2, [["eth", 1]]]);
      return Object.fromEntries([...demand.followers].map(([id, { tokens }]) => [id, tokens]));
    };
    expect(await tokensOf(true)).toEqual({ c1: [eth] });
    expect(await tokensOf(false)).toEqual({ c1: [eth], c2: [], c3: [] });
    expect(demand.wishes.flatMap(({ tokens }) => tokens)).toEqual([eth]);
  });

  it("rereads all followers when it needs certainty", async () => {
    await demand.read(1_000_000);
    followers = [follower("c1", "0xa")];
    expect(await demand.read(1_001_000)).toBe(false);
    expect(await demand.read(1_002_000, { isWhole: true })).toBe(true);
  });

  it("spreads the portions of many followers over a minute, and drops those that were not found", async () => {
    const portions = Array.from({ length: 450 }, (_, index) => [follower(`c${index}`, "0xa")]);
    let taken = 0;
    const deps = {
      async *readFollowers() {
        for (const portion of portions) {
          taken++;
          yield portion;
        }
      },
      readNewsSince: async () => news,
    };
    demand = new Demand(deps, 1_000_000);
    await demand.read(1_000_000);
    expect([taken, demand.followers.size]).toEqual([450, 450]);
    const { revision } = demand;
    portions.pop();
    portions.push([follower("late", "0xb")]);
    taken = 0;
    const counts: number[] = [];
    for (let second = 60; taken < 450; second++) {
      const before = taken;
      await demand.read(1_000_000 + second * 1000);
      counts.push(taken - before);
    }
    expect([Math.max(...counts), counts.length]).toEqual([10, 45]);
    expect(demand.takeArrivals().map(({ connectionId }) => connectionId)).toEqual(["late"]);
    expect(demand.followers.has("c449")).toBe(true);
    await demand.read(1_106_000);
    expect([demand.followers.has("c449"), demand.followers.has("late")]).toEqual([false, true]);
    expect(demand.revision).toBe(revision + 2);
  });

  it("keeps a follower that arrives while the others are being read", async () => {
    followers = [follower("c1", "0xa")];
    await demand.read(1_000_000);
    news = [newsOf("1", 1_060_500, { connectionId: "c2", shard: 0 })];
    await demand.read(1_061_000);
    expect(followed().map(([name]) => name)).toEqual(["c1", "c2"]);
  });

  it("starts the pass again after a failure, and loses no news", async () => {
    followers = [follower("c1", "0xa")];
    await demand.read(1_000_000);
    news = [newsOf("1", 1_059_000, { connectionId: "c2", shard: 0 })];
    const failing = { ...deps(), readFollowers: () => failure };
    demand = new Demand(failing, 1_059_000);
    await expect(demand.read(1_060_000)).rejects.toThrow("throttled");
    expect(followed().map(([name]) => name)).toEqual(["c2"]);
  });

  it("keeps all 20 followed tokens when one of them replaces another", async () => {
    const all = Array.from({ length: 20 }, (_, index) => `0x${index}`);
    followers = [follower("c1", ...all)];
    await demand.read(1_000_000);
    const change = { connectionId: "c1", shard: 1 };
    news = [
      newsOf("left", 1_001_000, { ...change, tokens: [] }),
      newsOf("new", 1_001_500, { ...change, tokens: [token("0xnew")] }),
    ];
    await demand.read(1_002_000);
    const kept = demand.followers.get("c1")?.tokens.map((each) => each.token);
    expect(kept).toEqual(expect.arrayContaining([...all.slice(1), "0xnew"]));
  });

  it("serves a connection that subscribes and leaves all the time ten times a minute", async () => {
    followers = [follower("c1", "0xa")];
    await demand.read(1_000_000);
    let arrivals = 0;
    for (let second = 1; second < 60; second++) {
      const atMs = 1_000_000 + second * 1000;
      news = Array.from({ length: 10 }, (_, index) =>
        newsOf(`${second} ${index}`, atMs, {
          connectionId: "c1",
          shard: 1,
          tokens: [token(`0x${second}${index}`)],
        }),
      );
      await demand.read(atMs);
      arrivals += demand.takeArrivals().length;
    }
    expect(arrivals).toBe(1);
    expect(followed()).toEqual([["c1", 40]]);
    expect(demand.followers.get("c1")?.tokens[0]).toEqual(token("0x599"));
  });
});
