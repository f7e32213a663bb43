import { expect, it } from "vitest";
import { formatDecimal } from "../../../../lib/core/decimal.ts";
import { type OpenedMinute, pastMinutes } from "../../../../lib/markets/sol/rules/past-minutes.ts";

const amounts = (coins: number, tokens = 1_000_000 / coins) => ({
  coins: BigInt(coins),
  tokens: BigInt(tokens),
  held: BigInt(coins),
});

const opened = (minute: number, before: number, after: number, count: number): OpenedMinute => ({
  start: 60 * minute,
  slot: 300 * minute,
  time: 60 * minute + 30,
  before: amounts(before),
  after: amounts(after),
  count,
});

const pool = { pool: "Pool1", quote: "native", decimals: 0, quoteDecimals: 0 };

it("makes minutes from one transaction each, which open at the close before", () => {
  const liquidity = { ...opened(4, 2000, 2000, 1), after: amounts(4000, 1000) };
  const minutes = pastMinutes(pool, [liquidity, opened(3, 1000, 2000, 2), opened(1, 500, 1000, 1)]);
  expect(
    minutes.map(({ start, open, high, low, close, volume, trades, isFinal }) => ({
      start,
      prices: [open, high, low, close].map(formatDecimal),
      ...(volume && { volume: formatDecimal(volume) }),
      trades,
      isFinal,
    })),
  ).toEqual([
    { start: 60, prices: ["0.25", "1", "0.25", "1"], volume: "500", trades: 1, isFinal: false },
    { start: 180, prices: ["1", "4", "1", "4"], isFinal: false },
  ]);
});
