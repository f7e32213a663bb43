import { describe, expect, it } from "vitest";
import { parseDecimal } from "../../../lib/core/decimal.ts";
import type { Candle } from "../../../lib/markets/core/candle.ts";
import { writeChunk } from "../../../lib/markets/items/chunk-items.ts";
import { Superseded, saveHours, tokenStore } from "../../../lib/markets/runs/token-store.ts";
import { tableForTests } from "../../support/dynamodb.ts";

const db = tableForTests();

const start = 1_795_780_800;
const one = parseDecimal("1") as Candle["open"];
const candle = (minute: number, trades = 1): Candle => ({
  start: start + 60 * minute,
  open: one,
  high: one,
  low: one,
  close: one,
  volume: one,
  trades,
  pool: { pool: "0x01", quote: "native" },
  isFinal: true,
  hasGaps: false,
});
const tokenNamed = (token: string) => ({ chain: "base", token }) as const;
const all = { from: start - 86_400, to: start + 86_400 };
const load = (token: string, range = all) =>
  tokenStore(db.table).loadCandles(tokenNamed(token), "minutes", range);
const minutesIn = async (token: string) =>
  (await load(token)).map((each) => [(each.start - start) / 60, each.trades]);
const writer = (epoch: number) => tokenStore(db.table).writer(epoch);

describe("tokenStore", () => {
  it("puts candles into their chunks, and replaces those that it wrote before", async () => {
    const store = writer(1);
    const token = tokenNamed("0xa");
    await store.saveCandles(token, "minutes", [candle(8), candle(9), candle(10)], 0);
    await store.saveCandles(token, "minutes", [candle(9, 2), candle(11)], 0);
    await store.saveCandles(token, "hours", [candle(0, 60)], 0);
    const expected = [
      [8, 1],
      [9, 2],
      [10, 1],
      [11, 1],
    ];
    expect(await minutesIn("0xa")).toEqual(expected);
    const within = { from: start + 540, to: start + 600 };
    expect(await load("0xa", within)).toHaveLength(2);
  });

  it("removes a token's minute candle that has lost its swaps, but keeps coins' minute candles, which have no swaps", async () => {
    const store = writer(1);
    await store.saveCandles(tokenNamed("0xe"), "minutes", [candle(1), candle(2)], 0);
    await store.saveCandles(tokenNamed("0xe"), "minutes", [candle(2, 0)], 1);
    await store.saveCandles(tokenNamed("native"), "minutes", [candle(2, 0)], 0);
    expect([await minutesIn("0xe"), await minutesIn("native")]).toEqual([[[1, 1]], [[2, 0]]]);
  });

  it("keeps minute candles that other functions have written in the meantime", async () => {
    const store = writer(3);
    const token = tokenNamed("0xb");
    await store.saveCandles(token, "minutes", [candle(5)], 0);
    const chunk = { ...token, kind: "minutes", start } as const;
    const history = { candles: [candle(1), candle(5)], revision: 0 };
    expect(await writeChunk(db.table, chunk, history, { epoch: 3, version: 1 })).toBe(true);
    await store.saveCandles(token, "minutes", [candle(6)], 0);
    const next = writer(4);
    await next.saveCandles(token, "minutes", [candle(7)], 0);
    expect((await minutesIn("0xb")).map(([minute]) => minute)).toEqual([1, 5, 6, 7]);
  });

  it("stops writing once another run has written", async () => {
    const [old, next] = [writer(7), writer(8)];
    await old.saveCandles(tokenNamed("0xc"), "minutes", [candle(1)], 0);
    await next.saveCandles(tokenNamed("0xc"), "minutes", [candle(2)], 0);
    await expect(old.saveCandles(tokenNamed("0xc"), "minutes", [candle(3)], 0)).rejects.toThrow(Superseded);
    await expect(old.saveCandles(tokenNamed("0xc"), "minutes", [candle(2, 9)], 0)).rejects.toThrow(
      Superseded,
    );
    expect(await minutesIn("0xc")).toEqual([
      [1, 1],
      [2, 1],
    ]);
  });
});

describe("saveHours", () => {
  const hour = (number: number) => start + 3600 * number;
  const at = (time: number, trades = 1): Candle => ({ ...candle(0, trades), start: time });
  const stored = async (token: string) => {
    const store = tokenStore(db.table);
    const kinds = await Promise.all(
      (["hours", "days"] as const).map((kind) => store.loadCandles(tokenNamed(token), kind, all)),
    );
    return kinds.flat().map((each) => [(each.start - start) / 3600, each.trades]);
  };
  const change = async (token: string, minutes: readonly Candle[], starts: readonly number[]) => {
    await writer(1).saveCandles(tokenNamed(token), "minutes", minutes, 0);
    await saveHours(tokenStore(db.table), writer(1), tokenNamed(token), { starts, revision: 0 });
  };

  it("removes an hour without swaps from its day, and then the day itself", async () => {
    await change("0xf", [at(hour(0)), at(hour(1))], [hour(0), hour(1)]);
    const day = (hour(0) - (hour(0) % 86_400) - start) / 3600;
    expect(await stored("0xf")).toEqual([
      [0, 1],
      [1, 1],
      [day, 2],
    ]);
    await change("0xf", [at(hour(1), 0)], [hour(1)]);
    expect(await stored("0xf")).toEqual([
      [0, 1],
      [day, 1],
    ]);
    await change("0xf", [at(hour(0), 0)], [hour(0)]);
    expect(await stored("0xf")).toEqual([]);
  });

  it("does not fold minute candles of the next hour", async () => {
    await change("0xd", [at(hour(1) - 60), at(hour(1))], [hour(0)]);
    expect((await stored("0xd")).filter(([hours]) => hours === 0 || hours === 1)).toEqual([[0, 1]]);
  });

  it("keeps the hour candles of coins, whose minute candles have no swaps", async () => {
    await change("native", [at(hour(3), 0)], [hour(3)]);
    await change("native", [], [hour(3), hour(4)]);
    expect((await stored("native")).filter(([hours]) => hours === 3 || hours === 4)).toEqual([[3, 0]]);
  });
});
