import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decimalOf } from "../../../lib/core/decimal.ts";
import type { Candle } from "../../../lib/markets/core/candle.ts";
import { closeAt, foldCandles } from "../../../lib/markets/core/candles.ts";
import { DayWindow } from "../../../lib/markets/core/day-window.ts";

const start = 1_795_780_800;
const minute = (index: number, price: number, changes: Partial<Candle> = {}): Candle => {
  const at = decimalOf(BigInt(price), 0);
  return {
    start: start + 60 * index,
    open: at,
    high: at,
    low: at,
    close: at,
    volume: at,
    trades: 1,
    pool: { pool: "0x01", quote: "native" },
    isFinal: true,
    hasGaps: false,
    ...changes,
  };
};
const price = (value: number) => decimalOf(BigInt(value), 0);

describe("DayWindow", () => {
  it("finds the pool of the last minute candle before a given minute, however old that candle is", () => {
    const window = new DayWindow();
    const of = (pool: string) => ({ pool: { pool, quote: "native" } });
    window.put([
      minute(1, 1, of("a")),
      minute(2, 1, of("b")),
      minute(44, 1, of("c")),
      minute(45, 1, of("d")),
    ]);
    window.put([minute(20, 1, { trades: 0, ...of("e") })]);
    const pools = [1, 2, 3, 44, 45, 100].map((index) => window.poolBefore(start + 60 * index)?.pool);
    expect(pools).toEqual([undefined, "a", "b", "b", "c", "d"]);
  });

  it("adds up exactly the minute candles of the last 24 hours, at any minute", () => {
    const traded = fc.uniqueArray(fc.integer({ min: 0, max: 3000 }), { maxLength: 40 });
    const property = fc.property(traded, fc.integer({ min: 1, max: 3100 }), (indices, now) => {
      const priceAt = (index: number) => 1 + ((index * 7) % 31);
      // Each minute candle opens at the previous close, which may be older than a day.
      const minutes = indices
        .toSorted((a, b) => a - b)
        .map((index, place, sorted) => {
          const [before, after] = [priceAt(sorted[place - 1] ?? index), priceAt(index)];
          const [high, low] = [Math.max(before, after), Math.min(before, after)].map(price);
          return minute(index, after, { open: price(before), ...(high && low && { high, low }) });
        });
      const window = new DayWindow();
      window.put(minutes.filter(({ start: at }) => at < start + 60 * now));
      const time = start + 60 * now;
      window.trim(time);
      const within = minutes.filter(({ start: at }) => at < time && at >= time - 86_400);
      const whole = foldCandles(
        within.map((each) => ({ ...each, start: 0 })),
        "1d",
      )[0];
      const found = window.statistics("native", time);
      expect(found.trades).toBe(within.length);
      expect([found.high, found.low]).toEqual([whole?.high, whole?.low]);
      if (whole === undefined) return;
      expect(found.volume).toEqual(whole.volume);
      const known = minutes.filter(({ start: at }) => at < time);
      expect(found.hourAgo).toEqual(closeAt(known, time - 3660));
    });
    fc.assert(property, { numRuns: 200, examples: [[[0, 3000], 3001]] });
  });

  it("compares a price with that of 24 hours ago, or with the oldest known price", () => {
    const window = new DayWindow();
    window.put([minute(0, 5), minute(3, 6), minute(1439, 7)]);
    const dayAgo = (now: number) => window.statistics("native", start + 60 * now).dayAgo;
    expect([dayAgo(10), dayAgo(1441), dayAgo(1443), dayAgo(1444)]).toEqual([5, 5, 5, 6].map(price));
  });

  it("replaces minute candles that a reorganisation has changed", () => {
    const window = new DayWindow();
    window.put([minute(0, 5), minute(1, 9)]);
    window.put([minute(1, 2, { trades: 3, hasGaps: true })]);
    expect(window.statistics("native", start + 120)).toMatchObject({
      high: price(5),
      low: price(2),
      trades: 4,
    });
    expect([window.hasGaps(start + 120), window.hasGaps(start + 86_400 + 120)]).toEqual([true, false]);
  });

  it("returns no sums if a minute's swaps have not been counted", () => {
    const window = new DayWindow();
    const { volume: _, trades: __, ...uncounted } = minute(1, 9);
    window.put([minute(0, 5), uncounted]);
    const { high, volume, trades } = window.statistics("native", start + 120);
    expect({ high, volume, trades }).toEqual({ high: price(9), volume: undefined, trades: undefined });
  });

  it("omits minute candles priced in a different quote token", () => {
    const window = new DayWindow();
    window.put([minute(0, 5), minute(1, 90_000, { pool: { pool: "0x02", quote: "0xusd" } })]);
    expect(window.statistics("native", start + 600)).toMatchObject({ high: price(5), trades: 1 });
    expect(window.statistics("0xusd", start + 600)).toMatchObject({ low: price(90_000), trades: 1 });
  });
});
