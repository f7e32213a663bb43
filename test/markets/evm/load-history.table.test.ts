import { describe, expect, it } from "vitest";
import { formatDecimal } from "../../../lib/core/decimal.ts";
import type { Candle } from "../../../lib/markets/core/candle.ts";
import { loadHistory } from "../../../lib/markets/evm/load-history.ts";
import type { PoolEvent, WatchedPool } from "../../../lib/markets/evm/rules/watched-pool.ts";
import { historyWriter, tokenStore } from "../../../lib/markets/runs/token-store.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { decimal } from "../support/markets.ts";

const db = tableForTests();

/** Start of an hour. */
const hour = 1_795_780_800;
const minute = (number: number) => hour + 60 * number;

const poolOf = (token: string): WatchedPool => ({
  pool: "0x01",
  quote: "native",
  venue: "uniswap-v2",
  token,
  decimals: 18,
  quoteDecimals: 18,
  isTokenFirst: true,
});

const swap = (time: number, price: string): PoolEvent => ({
  pool: "0x01",
  block: time,
  blockHash: `0x${time}`,
  time,
  logIndex: 0,
  isSwap: true,
  volume: decimal("2"),
  price: decimal(price),
});

const candle = (start: number, close: string, isFinal: boolean): Candle => {
  const price = decimal(close);
  const prices = { open: price, high: price, low: price, close: price, volume: decimal("1") };
  return {
    start,
    ...prices,
    trades: 1,
    isFinal,
    hasGaps: false,
    pool: { pool: "0x01", quote: "native" },
  };
};

const load = (token: string, history: { events: PoolEvent[]; isComplete: boolean }, asked: object[] = []) => {
  const name = { chain: "base", token } as const;
  const deps = {
    async readHistory(pool: WatchedPool, wanted: object) {
      asked.push({ pool: pool.pool, ...wanted });
      return history;
    },
    store: tokenStore(db.table),
    writer: historyWriter(db.table),
  };
  const order = { name, pool: poolOf(token), first: { block: 900, time: minute(62) + 7 } };
  return loadHistory(deps, order, 5000);
};

const storedOf = async (token: string, kind: "minutes" | "hours" | "days") => {
  const range = { from: hour - 86_400, to: hour + 86_400 };
  const found = await tokenStore(db.table).loadCandles({ chain: "base", token }, kind, range);
  return found.map(({ start, close, trades, isFinal, hasGaps }) => [
    (start - hour) / 60,
    formatDecimal(close),
    trades,
    ...(isFinal ? ["final"] : []),
    ...(hasGaps ? ["gaps"] : []),
  ]);
};

describe("loadHistory", () => {
  it("stores the minute candles before the market reader began, and their hours and day", async () => {
    const asked: object[] = [];
    const events = [
      swap(minute(1), "1"),
      swap(minute(1) + 59, "3"),
      swap(minute(59), "2"),
      swap(minute(61), "4"),
    ];
    expect(await load("0xa", { events, isComplete: true }, asked)).toBe("complete");
    expect(asked).toEqual([{ pool: "0x01", to: 900, since: minute(62) - 86_400, untilMs: 5000 }]);
    expect(await storedOf("0xa", "minutes")).toEqual([
      [1, "3", 2],
      [59, "2", 1],
      [61, "4", 1],
    ]);
    expect(await storedOf("0xa", "hours")).toEqual([
      [0, "2", 3],
      [60, "4", 1],
    ]);
    expect((await storedOf("0xa", "days")).map(([, close, trades]) => [close, trades])).toEqual([["4", 4]]);
  });

  it("marks the minute in which the market reader began, and reports if the history is incomplete", async () => {
    const events = [swap(minute(61), "4"), swap(minute(62) + 3, "5")];
    expect(await load("0xb", { events, isComplete: false })).toBe("unavailable");
    expect(await storedOf("0xb", "minutes")).toEqual([
      [61, "4", 1],
      [62, "5", 1, "gaps"],
    ]);
  });

  it("never replaces a final minute candle while a market reader is running", async () => {
    const name = { chain: "base", token: "0xc" } as const;
    const reader = tokenStore(db.table).writer(7);
    const known = [candle(minute(1), "10", true), candle(minute(2), "20", false)];
    await reader.saveCandles(name, "minutes", known, 0);
    const events = [1, 2, 3].map((number) => swap(minute(number), "7"));
    await load("0xc", { events, isComplete: true });
    await reader.saveCandles(name, "minutes", [candle(minute(4), "40", true)], 0);
    expect(await storedOf("0xc", "minutes")).toEqual([
      [1, "10", 1, "final"],
      [2, "7", 1],
      [3, "7", 1],
      [4, "40", 1, "final"],
    ]);
    expect(await storedOf("0xc", "hours")).toEqual([[0, "7", 3]]);
  });
});
