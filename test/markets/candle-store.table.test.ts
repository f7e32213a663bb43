import { describe, expect, it } from "vitest";
import { CandleStore, Superseded } from "../../lib/markets/candle-store.ts";
import type { Candle } from "../../lib/markets/core/candle.ts";
import { parseDecimal } from "../../lib/markets/core/decimal.ts";
import { writeChunk } from "../../lib/markets/items/chunk-items.ts";
import { tableForTests } from "../support/dynamodb.ts";

const db = tableForTests();

const start = 1_795_780_800;
const one = parseDecimal("1") as Candle["open"];
const candle = (minute: number, trades = 1): Candle => ({
  ...{ start: start + 60 * minute, open: one, high: one, low: one, close: one, volume: one, trades },
  ...{ pool: { pool: "0x01", quote: "native" }, isFinal: true, hasGaps: false },
});
const tokenNamed = (token: string) => ({ chain: "base", token }) as const;
const all = { from: start - 86_400, to: start + 86_400 };
const minutesIn = async (store: CandleStore, token: string) =>
  (await store.load(tokenNamed(token), "minutes", all)).map((each) => [
    (each.start - start) / 60,
    each.trades,
  ]);

describe("CandleStore", () => {
  it("puts candles into their chunks, in the place of those that it wrote before", async () => {
    const store = new CandleStore(db.table, 1);
    const token = tokenNamed("0xa");
    await store.save(token, "minutes", [candle(8), candle(9), candle(10)], 0);
    await store.save(token, "minutes", [candle(9, 2), candle(11)], 0);
    await store.save(token, "hours", [candle(0, 60)], 0);
    const expected = [
      [8, 1],
      [9, 2],
      [10, 1],
      [11, 1],
    ];
    expect(await minutesIn(store, "0xa")).toEqual(expected);
    expect(await minutesIn(new CandleStore(db.table, 2), "0xa")).toEqual(expected);
    const within = { from: start + 540, to: start + 600 };
    expect(await store.load(token, "minutes", within)).toHaveLength(2);
  });

  it("keeps what others have written meanwhile", async () => {
    const store = new CandleStore(db.table, 3);
    const token = tokenNamed("0xb");
    await store.save(token, "minutes", [candle(5)], 0);
    const chunk = { ...token, kind: "minutes", start } as const;
    const history = { candles: [candle(1), candle(5)], revision: 0 };
    expect(await writeChunk(db.table, chunk, history, { epoch: 3, version: 1 })).toBe(true);
    await store.save(token, "minutes", [candle(6)], 0);
    const next = new CandleStore(db.table, 4);
    await next.save(token, "minutes", [candle(7)], 0);
    expect((await minutesIn(next, "0xb")).map(([minute]) => minute)).toEqual([1, 5, 6, 7]);
  });

  it("writes nothing any more once another run has written", async () => {
    const [old, next] = [new CandleStore(db.table, 7), new CandleStore(db.table, 8)];
    await old.save(tokenNamed("0xc"), "minutes", [candle(1)], 0);
    await next.save(tokenNamed("0xc"), "minutes", [candle(2)], 0);
    await expect(old.save(tokenNamed("0xc"), "minutes", [candle(3)], 0)).rejects.toThrow(Superseded);
    await expect(old.save(tokenNamed("0xc"), "minutes", [candle(2, 9)], 0)).rejects.toThrow(Superseded);
    expect(await minutesIn(next, "0xc")).toEqual([
      [1, 1],
      [2, 1],
    ]);
  });
});
