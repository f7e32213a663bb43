import { describe, expect, it } from "vitest";
import { addChannels, openConnection, removeChannels } from "../../lib/realtime/connection-records.ts";
import { arePricesWanted, keepMarketsRead } from "../../lib/realtime/market-reader.ts";
import { changeReaderLease, readReaderLease } from "../../lib/trading/items/reader-leases.ts";
import { tableForTests } from "../support/dynamodb.ts";

const db = tableForTests();

describe("arePricesWanted", () => {
  it("counts subscribers with and without tokens, and a running market reader", async () => {
    const wanted = () => arePricesWanted(db.table, 4);
    const name = { userID: "ann", connectionId: "c1" };
    await openConnection(db.table, name, { shard: 3, now: new Date() });
    expect(await wanted()).toBe(false);
    for (const markets of [undefined, { every: 1, tokens: [] } as const]) {
      await addChannels(db.table, name, ["prices"], () => markets);
      expect(await wanted()).toBe(true);
      await removeChannels(db.table, name, ["prices"]);
      expect(await wanted()).toBe(false);
    }
    const lease = { run: "r", epoch: 1, build: "b", startedAtMs: 0, heartbeatMs: Date.now() };
    await changeReaderLease(db.table, { chain: "markets", when: undefined, set: lease });
    expect(await wanted()).toBe(true);
    await changeReaderLease(db.table, { chain: "markets", when: { epoch: 1 }, set: { isEnded: true } });
    expect(await wanted()).toBe(false);
  });
});

describe("keepMarketsRead", () => {
  const missing = Object.assign(new Error("no"), { name: "ResourceNotFoundException" });
  const refused = Object.assign(new Error("no"), { name: "AccessDeniedException" });

  it.each([true, false])("waits for a function that does not exist yet, in a turn: %j", async (isTurn) => {
    const keep = (error: Error) =>
      keepMarketsRead(
        db.table,
        { isFollowed: async () => true, startReader: () => Promise.reject(error) },
        { isTurn },
      );
    await expect(keep(missing)).resolves.toBeUndefined();
    await expect(keep(refused)).rejects.toBe(refused);
  });

  it("reports that nobody reads the markets which clients follow", async () => {
    const unread: unknown[] = [];
    const keep = (isFollowed: boolean) =>
      keepMarketsRead(
        db.table,
        {
          isFollowed: async () => isFollowed,
          startReader: async () => {},
          onUnread: (error) => unread.push(error),
        },
        { isTurn: true },
      );
    const old = await readReaderLease(db.table, "markets");
    const stopped = { run: "r", epoch: 2, build: "b", startedAtMs: 0, heartbeatMs: Date.now() - 60_000 };
    const when = old && { epoch: old.epoch };
    await changeReaderLease(db.table, { chain: "markets", when, set: stopped });
    await keep(false);
    expect(unread).toEqual([]);
    await keep(true);
    expect(unread).toEqual([expect.objectContaining({ name: "MarketsStale" })]);
    const set = { isEnded: undefined, heartbeatMs: Date.now() };
    await changeReaderLease(db.table, { chain: "markets", when: { epoch: 2 }, set });
    await keep(true);
    expect(unread).toHaveLength(1);
  });
});
