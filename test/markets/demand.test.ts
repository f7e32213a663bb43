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
  const deps = {
    async readFollowers() {
      reads++;
      return followers;
    },
    async readNewsSince(sinceMs: number) {
      asked.push(sinceMs);
      return news.filter(({ atMs }) => atMs >= sinceMs - 2000);
    },
  };
  demand = new Demand(deps, 1_000_000);
});

const newsOf = (id: string, atMs: number, changes: Partial<FoundNews>): FoundNews => ({
  id,
  atMs,
  userID: "ann",
  tokens: [token("0xa")],
  ...changes,
});
const followed = () => demand.followers.map(({ connectionId, tokens }) => [connectionId, tokens.length]);

describe("Demand", () => {
  it("reads the list of followers every minute, and the news of markets every time", async () => {
    followers = [follower("c1", "0xa")];
    expect(await demand.read(1_000_000)).toBe(true);
    followers = [];
    expect(await demand.read(1_059_000)).toBe(true);
    expect(await demand.read(1_060_000)).toBe(false);
    expect([reads, asked]).toEqual([2, [400_000, 1_000_000, 1_059_000]]);
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
    expect(demand.asked.map(({ token: { token: name } }) => name)).toEqual(["0xa", "0xb"]);
    news = [newsOf("3", 1_090_000, {})];
    await demand.read(1_090_000);
    await demand.read(1_600_000);
    expect(demand.asked.map(({ token: { token: name } }) => name)).toEqual(["0xa"]);
    expect(await demand.read(1_700_000)).toBe(false);
  });

  it("rereads all followers when it needs certainty", async () => {
    await demand.read(1_000_000);
    followers = [follower("c1", "0xa")];
    expect(await demand.read(1_001_000)).toBe(false);
    expect(await demand.read(1_002_000, { isWhole: true })).toBe(true);
  });
});
