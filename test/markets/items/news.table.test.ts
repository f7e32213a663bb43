import { describe, expect, it } from "vitest";
import { readNewsSince, writeNews } from "../../../lib/markets/items/news.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { interceptedTable } from "../../support/intercepted-table.ts";
import { itemsNamed } from "../../support/items.ts";

const db = tableForTests();

const startMs = Date.parse("2026-11-21T09:00:00.000Z");
const moon = { chain: "base", token: "0x1" } as const;

describe("news", () => {
  it("reads news in order, from two seconds before the requested time", async () => {
    const ofConnection = {
      userID: "ann",
      connectionId: "c=",
      shard: 0,
      tokens: [{ ...moon, candles: true }],
    };
    await writeNews(db.table, { userID: "bob", tokens: [moon] }, () => startMs + 3000);
    await writeNews(db.table, ofConnection, () => startMs);
    const anyId = { id: expect.any(String) };
    const first = { ...ofConnection, tokens: [moon], atMs: startMs, ...anyId };
    const second = { userID: "bob", tokens: [moon], atMs: startMs + 3000, ...anyId };
    expect(await readNewsSince(db.table, startMs + 2000, 4)).toEqual([first, second]);
    expect(await readNewsSince(db.table, startMs + 2001, 4)).toEqual([second]);
    expect(await readNewsSince(db.table, startMs + 5001, 4)).toEqual([]);
    const [twice, again] = [
      await readNewsSince(db.table, startMs, 4),
      await readNewsSince(db.table, startMs + 1, 4),
    ];
    expect(twice.map(({ id }) => id)).toEqual(again.map(({ id }) => id));
    const items = await itemsNamed(db.table, "MARKETNEWS");
    expect(items.map(({ expiresAt }) => Number(expiresAt) - startMs / 1000)).toEqual([600, 603]);
  });

  it("repeats a news item if the table was slow and a reader may have missed the item", async () => {
    let nowMs = startMs + 60_000;
    const delays = [1001, 1000];
    const table = interceptedTable(db.table, () => {
      nowMs += delays.shift() ?? 0;
    });
    await writeNews(table, { userID: "ann", tokens: [] }, () => nowMs);
    const found = await readNewsSince(db.table, startMs + 60_000, 4);
    expect(found.map(({ atMs }) => atMs - startMs)).toEqual([60_000, 61_001]);
  });

  it("spreads the news of connections over up to 16 partitions, and reads them all in order", async () => {
    const fromMs = startMs + 120_000;
    const shards = [3, 0, 17, 255];
    for (const [index, shard] of shards.entries())
      await writeNews(
        db.table,
        { userID: "ann", connectionId: `c${index}`, shard, tokens: [] },
        () => fromMs + index,
      );
    const found = await readNewsSince(db.table, fromMs, 256);
    expect(found.map(({ shard }) => shard)).toEqual(shards);
    const items = await itemsNamed(db.table, "MARKETNEWS");
    const partitions = items.filter(({ connectionId }) => connectionId !== "c=").map(({ PK }) => PK);
    expect(partitions).toEqual(
      expect.arrayContaining(["MARKETNEWS#3", "MARKETNEWS#0", "MARKETNEWS#1", "MARKETNEWS#15"]),
    );
  });
});
