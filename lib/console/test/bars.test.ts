import type { Candle } from "trading-terminal-client";
import { describe, expect, it } from "vitest";
import { barsOf } from "../app/market/bars.ts";

const start = Date.parse("2026-11-26T10:00:00Z") / 1000;
const at = (minute: number) => start + minute * 60;
const candle = (minute: number, open: `${number}`, close: `${number}`): Candle => ({
  time: new Date(at(minute) * 1000).toISOString(),
  open,
  high: close,
  low: open,
  close,
  volume: "1",
  isFinal: true,
});

type Known = { until: number; price?: number; own?: readonly number[] };

/** Draws minutes, each as its number and close. */
const drawn = (candles: readonly Candle[], { until, price, own = [] }: Known) =>
  barsOf(candles, "1m", {
    untilMs: at(until) * 1000 + 30_000,
    price,
    marks: own.map((minute) => ({ time: at(minute) })),
  }).map(({ time, close }) => [(time - start) / 60, close]);

describe("barsOf", () => {
  it("repeats the previous close in intervals without swaps, and ends at the market's price", () => {
    const candles = [candle(0, "1", "2"), candle(2, "2", "3")];
    expect(drawn(candles, { until: 4, price: 3 })).toEqual([
      [0, 2],
      [1, 2],
      [2, 3],
      [3, 3],
      [4, 3],
    ]);
  });

  it("shows a new reference pool's price without a body or a wick, because nobody has traded in between", () => {
    const bars = barsOf([candle(0, "1", "2")], "1m", { untilMs: at(2) * 1000, price: 5, marks: [] });
    expect(bars.at(-1)).toEqual({
      time: at(2),
      open: 5,
      high: 5,
      low: 5,
      close: 5,
      volume: 0,
      hasGaps: false,
    });
    expect(drawn([candle(0, "1", "2")], { until: 0, price: 5 })).toEqual([[0, 2]]);
  });

  it("has a bar for each fill of the user, although its pool has no candles", () => {
    expect(drawn([], { until: 2, price: 7 })).toEqual([]);
    expect(drawn([], { until: 2, own: [1] })).toEqual([]);
    expect(drawn([], { until: 2, price: 7, own: [1] })).toEqual([
      [1, 7],
      [2, 7],
    ]);
    // The price before the first swap is its open.
    expect(drawn([candle(2, "4", "6")], { until: 2, price: 6, own: [0, 2] })).toEqual([
      [0, 4],
      [1, 4],
      [2, 6],
    ]);
  });

  it("has a bar for a fill that is newer than the last block that was read", () => {
    expect(drawn([candle(0, "1", "2")], { until: 0, price: 2, own: [1] })).toEqual([
      [0, 2],
      [1, 2],
    ]);
  });

  it("draws nothing for fills that are older than all candles that are asked for", () => {
    expect(drawn([candle(600, "1", "2")], { until: 600, price: 2, own: [0] })).toEqual([[600, 2]]);
  });
});
