import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { add, compare, type Decimal, decimalOf, multiply, zero } from "../../../lib/core/decimal.ts";
import { type Candle, intervalSeconds, intervals } from "../../../lib/markets/core/candle.ts";
import {
  candleInCurrency,
  candlesOf,
  closeAt,
  foldCandles,
  inCurrency,
  type SwapBlock,
  swapBlocksOf,
  withCandles,
} from "../../../lib/markets/core/candles.ts";
import { pools, swapBlocks } from "./support/arbitraries.ts";

const [coinPool, stablePool, otherPool] = pools as [Candle["pool"], Candle["pool"], Candle["pool"]];
const whole = (value: number) => decimalOf(BigInt(value), 0);

const candle = (
  start: number,
  prices: readonly [number, number, number, number],
  rest: Partial<Candle> = {},
) => {
  const [open, high, low, close] = prices.map(whole) as [Decimal, Decimal, Decimal, Decimal];
  const of = { volume: whole(1), trades: 1, pool: coinPool, isFinal: true, hasGaps: false };
  return { start, open, high, low, close, ...of, ...rest };
};

const event = (block: number, price: number | undefined, volume?: number) => ({
  block,
  time: block,
  ...(price !== undefined && { price: whole(price) }),
  volume: whole(volume ?? 0),
  isSwap: volume !== undefined,
});

/** Computes each interval directly, from the extremes of all its prices. */
function directly(blocks: readonly SwapBlock[], seconds: number) {
  const starts = [...new Set(blocks.map(({ time }) => time - (time % seconds)))];
  return starts.map((start) => {
    const within = blocks.filter(({ time }) => time >= start && time < start + seconds);
    const prices = within.flatMap(({ before, after = zero }) => [before ?? after, after]);
    const sorted = prices.toSorted(compare);
    return {
      start,
      open: prices[0],
      high: sorted.at(-1),
      low: sorted[0],
      close: prices.at(-1),
      volume: within.reduce((sum, { volume }) => add(sum, volume ?? zero), zero),
      trades: within.reduce((sum, { trades }) => sum + (trades ?? 0), 0),
    };
  });
}

describe("swapBlocksOf", () => {
  it("uses the price at the end of each block, so that a swap and its reversal leave only volume", () => {
    expect(swapBlocksOf([event(1, 10, 4), event(1, 99, 3), event(1, 10, 3)], whole(10))).toEqual([
      { block: 1, time: 1, before: whole(10), after: whole(10), volume: whole(10), trades: 3 },
    ]);
  });

  it("starts a block at the price that the pool had after earlier changes of liquidity", () => {
    const blocks = swapBlocksOf([event(1, 10, 1), event(2, 12), event(3, 13, 1)]);
    expect(blocks.map(({ block, before, after }) => [block, before, after])).toEqual([
      [1, undefined, whole(10)],
      [3, whole(12), whole(13)],
    ]);
  });

  it("counts changes of liquidity neither as trades nor as volume", () => {
    const [block] = swapBlocksOf([event(1, 11), event(1, undefined, 5), event(1, 12)], whole(10));
    expect(block).toEqual({
      block: 1,
      time: 1,
      before: whole(10),
      after: whole(12),
      volume: whole(5),
      trades: 1,
    });
  });
});

describe("candlesOf", () => {
  it("opens a minute candle at the previous close, and omits minutes without trades", () => {
    const blocks = swapBlocksOf([event(10, 5, 1), event(50, 7, 1), event(190, 6, 2)], whole(4));
    expect(candlesOf(blocks, coinPool)).toEqual([
      candle(0, [4, 7, 4, 7], { volume: whole(2), trades: 2, isFinal: false }),
      candle(180, [7, 7, 6, 6], { volume: whole(2), isFinal: false }),
    ]);
  });

  it("opens the first minute candle at its first price if no earlier price is known", () => {
    expect(candlesOf(swapBlocksOf([event(10, 5, 1)]), coinPool)).toEqual([
      candle(0, [5, 5, 5, 5], { isFinal: false }),
    ]);
    expect(candlesOf(swapBlocksOf([event(10, undefined, 1)]), coinPool)).toEqual([]);
  });
});

describe("foldCandles", () => {
  it("gives the same candles from minute candles as from blocks", () => {
    fc.assert(
      fc.property(
        swapBlocks(),
        fc.constantFrom(...intervals),
        fc.constantFrom(...intervals),
        (blocks, a, b) => {
          const [between, interval] = intervalSeconds[a] < intervalSeconds[b] ? [a, b] : [b, a];
          const expected = directly(blocks, intervalSeconds[interval]);
          const minutes = candlesOf(blocks, coinPool);
          // Volumes with few digits keep sums of 18 digits independent of their order.
          expect(foldCandles(foldCandles(minutes, between), interval)).toMatchObject(expected);
          expect(candlesOf(blocks, coinPool, interval)).toMatchObject(expected);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("marks a folded candle as final if all its parts are, and with gaps if any part has gaps", () => {
    const minutes = [candle(0, [1, 1, 1, 1]), candle(60, [1, 1, 1, 1], { isFinal: false, hasGaps: true })];
    expect(foldCandles(minutes, "5m")).toMatchObject([{ isFinal: false, hasGaps: true, trades: 2 }]);
  });

  it("combines the candles of pools with the same quote, but not of pools with different quotes", () => {
    const minutes = [
      candle(0, [1, 2, 1, 2]),
      candle(60, [2, 3, 2, 3], { pool: otherPool }),
      candle(120, [9, 9, 8, 8], { pool: stablePool }),
    ];
    expect(foldCandles(minutes, "5m")).toMatchObject([
      { start: 0, close: whole(3), pool: otherPool },
      { start: 0, open: whole(9), pool: stablePool },
    ]);
    const inCoins = minutes.map((each) => candleInCurrency(each, "native", whole(4)) as Candle);
    expect(foldCandles(inCoins, "5m")).toMatchObject([{ open: whole(1), close: whole(2), trades: 3 }]);
  });
});

describe("inCurrency", () => {
  it.each([
    ["native", "usd", 2000],
    ["native", "native", 4],
    ["native", "quote", 4],
    ["0xstable", "usd", 4],
    ["0xstable", "quote", 4],
  ] as const)("converts a candle quoted in %s to %s", (quote, currency, expected) => {
    expect(inCurrency(whole(4), quote, currency, whole(500))).toEqual(whole(expected));
  });

  it("divides a stable token's quote by the coin's price", () => {
    expect(inCurrency(whole(4), "0xstable", "native", whole(500))).toEqual(decimalOf(8n, -3));
  });

  it("returns no price if the conversion lacks the coin's price", () => {
    for (const coinUsd of [undefined, zero]) {
      expect(inCurrency(whole(4), "native", "usd", coinUsd)).toBeUndefined();
      expect(inCurrency(whole(4), "0xstable", "native", coinUsd)).toBeUndefined();
      expect(inCurrency(whole(4), "0xstable", "usd", coinUsd)).toEqual(whole(4));
      expect(candleInCurrency(candle(0, [1, 2, 1, 2]), "usd", coinUsd)).toBeUndefined();
    }
  });

  it("keeps a candle's prices in order when it converts them", () => {
    fc.assert(
      fc.property(swapBlocks(), fc.integer({ min: 1, max: 10 ** 9 }), (blocks, units) => {
        const coinUsd = decimalOf(BigInt(units), -4);
        for (const each of candlesOf(blocks, coinPool)) {
          const converted = candleInCurrency(each, "usd", coinUsd) as Candle;
          expect(converted.close).toEqual(multiply(each.close, coinUsd));
          expect(compare(converted.high, converted.open)).toBeGreaterThanOrEqual(0);
          expect(compare(converted.low, converted.close)).toBeLessThanOrEqual(0);
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe("closeAt", () => {
  const series = [candle(60, [1, 2, 1, 2]), candle(120, [2, 3, 2, 3]), candle(600, [3, 4, 3, 4])];

  it.each([
    [0, 1],
    [60, 2],
    [119, 2],
    [540, 3],
    [6000, 4],
  ])("returns for the time %i the close %i", (start, price) => {
    expect(closeAt(series, start)).toEqual(whole(price));
  });

  it("returns no close without candles", () => {
    expect(closeAt([], 60)).toBeUndefined();
  });
});

describe("withCandles", () => {
  it("replaces the candles of the same time, and inserts the others in order", () => {
    const before = [candle(0, [1, 1, 1, 1]), candle(60, [1, 1, 1, 1])];
    const changed = [candle(60, [2, 2, 2, 2]), candle(120, [3, 3, 3, 3])];
    expect(withCandles(before, changed)).toEqual([before[0], ...changed]);
    expect(withCandles(changed, before.slice(0, 1))).toEqual([before[0], ...changed]);
  });
});
