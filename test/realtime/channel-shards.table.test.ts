import { describe, expect, it } from "vitest";
import { occupiedShards, shardChooser, shardCounter } from "../../lib/realtime/channel-shards.ts";
import { addChannels, closeConnection, openConnection } from "../../lib/realtime/connection-records.ts";
import { channelShardsKey } from "../../lib/realtime/item-keys.ts";
import { write } from "../../lib/table/write.ts";
import { tableForTests } from "../support/dynamodb.ts";

const db = tableForTests();
const start = Date.parse("2026-11-23T08:00:00.000Z");
const at = (minutes: number) => new Date(start + minutes * 60_000);

/** Places connections until each of these shards has one. */
async function place(choose: (now: Date) => Promise<number>, minutes: number, shards: number) {
  const seen = new Set<number>();
  for (let tries = 0; tries < 1000 && seen.size < shards; tries++) seen.add(await choose(at(minutes)));
  expect([...seen].toSorted((a, b) => a - b)).toEqual([...seen.keys()].toSorted((a, b) => a - b));
  return seen;
}

describe("the shards of a channel", () => {
  it("uses the configured number of shards while no other number is stored", async () => {
    expect(await shardCounter(db.table, 4)(at(0))).toBe(4);
  });

  it("reads more shards as soon as a connection is in a new shard, even under the old configuration", async () => {
    const [old, young] = [shardChooser(db.table, 1), shardChooser(db.table, 4)];
    const count = shardCounter(db.table, 1);
    await place(old, 0, 1);
    expect(await count(at(0))).toBe(1);
    expect(await place(young, 1, 4)).toEqual(new Set([0, 1, 2, 3]));
    expect(await count(at(1))).toBe(4);
    // Old processes continue for a while, and store the old number again.
    await place(old, 61, 1);
    expect(await shardCounter(db.table, 1)(at(61))).toBe(4);
  });

  it("reads fewer shards once the removed shards can contain no more connections", async () => {
    const [old, young] = [shardChooser(db.table, 4), shardChooser(db.table, 1)];
    const countAt = (minutes: number) => shardCounter(db.table, 1)(at(minutes));
    await place(old, 0, 4);
    await place(young, 1, 1);
    expect(await countAt(1)).toBe(4);
    // The last connection of the removed shards lives for another two hours.
    await place(old, 59, 4);
    expect(await countAt(59 + 130)).toBe(4);
    expect(await countAt(191)).toBe(1);
    await place(young, 191, 1);
    expect(await countAt(192)).toBe(1);
  });

  it("reads at most as many shards as the context allows, whatever number is stored", async () => {
    const expiresAt = start / 1000 + 60;
    await write(db.table, { kind: "put", key: channelShardsKey, item: { shards: 1e9, expiresAt } });
    expect(await shardCounter(db.table, 4)(at(0))).toBe(256);
  });
});

describe("the occupied shards", () => {
  const subscribe = async (connectionId: string, shard: number, hasTokens = false) => {
    const name = { userID: "ann", connectionId };
    await openConnection(db.table, name, { shard, now: at(0) });
    await addChannels(db.table, name, ["prices"], () => (hasTokens ? { every: 1, tokens: [] } : undefined));
    return name;
  };

  it("adds shards at once when they get subscribers without tokens, and drops empty shards after five seconds", async () => {
    const find = occupiedShards(db.table, async () => 4);
    const foundAfter = (ms: number) => find(new Date(start + ms));
    expect(await foundAfter(0)).toEqual([]);
    const first = await subscribe("c1", 2);
    await subscribe("c2", 1, true);
    expect(await foundAfter(1)).toEqual([2]);
    await closeConnection(db.table, first);
    await subscribe("c3", 3);
    expect(await foundAfter(5000)).toEqual([2, 3]);
    expect(await foundAfter(5001)).toEqual([3]);
    // Simulates a clock that was set back.
    expect(await foundAfter(-1)).toEqual([3]);
    expect(await occupiedShards(db.table, async () => 3)(at(0))).toEqual([]);
  });
});
