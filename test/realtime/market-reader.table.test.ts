import { describe, expect, it } from "vitest";
import { addChannels, openConnection, removeChannels } from "../../lib/realtime/connection-records.ts";
import { arePricesWanted } from "../../lib/realtime/market-reader.ts";
import { changeReaderLease } from "../../lib/trading/items/reader-leases.ts";
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
