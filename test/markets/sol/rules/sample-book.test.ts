import { describe, expect, it } from "vitest";
import { formatDecimal } from "../../../../lib/core/decimal.ts";
import type { Candle } from "../../../../lib/markets/core/candle.ts";
import {
  addSample,
  newSampleBook,
  samplesOf,
  settleMinute,
  takeSampledMinutes,
  unsettledMinutes,
} from "../../../../lib/markets/sol/rules/sample-book.ts";

const pool = { pool: "Pool1", quote: "native", decimals: 0, quoteDecimals: 0 };

/** Makes a sample with a constant product of 1,000,000. */
const sample = (time: number, coins: number, tokens = 1_000_000 / coins) => ({
  slot: 5 * time,
  time,
  coins: BigInt(coins),
  tokens: BigInt(tokens),
  held: BigInt(coins),
});

const bookOf = (...samples: Parameters<typeof sample>[]) => {
  const book = newSampleBook(pool);
  for (const each of samples) addSample(book, sample(...each));
  return book;
};

const shown = ({ start, open, high, low, close, volume, trades, isFinal, hasGaps }: Candle) => ({
  start,
  prices: [open, high, low, close].map(formatDecimal).map(Number),
  ...(volume && { volume: formatDecimal(volume), trades }),
  isFinal,
  hasGaps,
});

describe("a sample book", () => {
  it("makes a candle from the prices that it samples, and none for a minute without swaps", () => {
    const book = bookOf([59, 1000], [61, 1000], [62, 2000], [63, 500], [64, 1000], [119, 1000], [121, 1000]);
    expect(takeSampledMinutes(book).map(shown)).toEqual([
      { start: 60, prices: [1, 4, 0.25, 1], isFinal: false, hasGaps: false },
    ]);
    expect(takeSampledMinutes(book)).toEqual([]);
  });

  it("opens a minute at the last price before it", () => {
    const book = bookOf([58, 1000], [59, 2000], [61, 500]);
    expect(takeSampledMinutes(book).map(shown)).toMatchObject([
      { start: 0, prices: [1, 4, 1, 4] },
      { start: 60, prices: [4, 4, 0.25, 0.25] },
    ]);
  });

  it("does not count changes of liquidity as swaps, and opens the next candle at the price after them", () => {
    const book = bookOf([59, 1000], [61, 1100, 1100], [62, 4000, 1000]);
    expect(takeSampledMinutes(book).map(shown)).toMatchObject([{ start: 60, prices: [1, 4, 1, 4] }]);
    const added = bookOf([59, 1000], [61, 2000, 1000]);
    expect(takeSampledMinutes(added)).toEqual([]);
  });

  it("marks a minute that it does not know from its beginning, and one with a gap of more than ten seconds", () => {
    const book = bookOf([50, 1000], [51, 2000], [61, 1000], [72, 2000]);
    expect(takeSampledMinutes(book).map(({ start, hasGaps }) => [start, hasGaps])).toEqual([
      [0, true],
      [60, true],
    ]);
  });

  it("makes a minute final once it is over and settled, with the sums of its swaps if they are known", () => {
    const book = bookOf([59, 1000], [61, 2000], [119, 2000]);
    expect(unsettledMinutes(book)).toEqual([]);
    addSample(book, sample(120, 2000));
    expect(unsettledMinutes(book)).toEqual([60]);
    settleMinute(book, 60, { volume: { mantissa: 7n, exponent: 0 }, trades: 2 });
    settleMinute(book, 60, undefined);
    expect(unsettledMinutes(book)).toEqual([]);
    expect(takeSampledMinutes(book).map(shown)).toEqual([
      { start: 60, prices: [1, 4, 1, 4], volume: "7", trades: 2, isFinal: true, hasGaps: false },
    ]);
  });

  it("never makes a minute with a gap final, and does not have its swaps counted", () => {
    const book = bookOf([59, 1000], [71, 2000], [121, 2000]);
    expect(samplesOf(book, 60)).toBeUndefined();
    settleMinute(book, 60, undefined);
    expect(takeSampledMinutes(book).map(shown)).toMatchObject([{ isFinal: false, hasGaps: true }]);
  });

  it("returns the samples of a minute with the last one before it", () => {
    const book = bookOf([50, 1000], [59, 1000], [60, 2000], [68, 1000], [78, 1000], [130, 1000]);
    expect(samplesOf(book, 60)?.map(({ time }) => time)).toEqual([59, 60, 68, 78]);
  });

  it("continues the minute of an earlier run without a gap if it took over in time", () => {
    const before = bookOf([59, 1000], [61, 2000]);
    const minutes = takeSampledMinutes(before);
    const continued = newSampleBook(pool, before.last, minutes);
    addSample(continued, sample(66, 500));
    expect(takeSampledMinutes(continued).map(shown)).toMatchObject([
      { start: 60, prices: [1, 4, 0.25, 0.25], hasGaps: false },
    ]);
    // The samples of the earlier run are lost, so the swaps of this minute cannot be counted.
    addSample(continued, sample(121, 500));
    expect(samplesOf(continued, 60)).toBeUndefined();
    const late = newSampleBook(pool, before.last, minutes);
    addSample(late, sample(80, 500));
    expect(takeSampledMinutes(late)).toMatchObject([{ hasGaps: true }]);
  });

  it("forgets minutes and samples after some minutes", () => {
    const book = bookOf([59, 1000], [61, 2000]);
    takeSampledMinutes(book);
    for (let time = 62; time < 1000; time++) addSample(book, sample(time, time % 2 === 0 ? 1000 : 2000));
    takeSampledMinutes(book);
    addSample(book, sample(1000, 500));
    expect(book.minutes.size).toBeLessThanOrEqual(6);
    expect(book.samples.length).toBeLessThanOrEqual(302);
  });
});
