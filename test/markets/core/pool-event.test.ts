import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { add, formatDecimal, zero } from "../../../lib/markets/core/decimal.ts";
import {
  type PoolPricing,
  priceOfReserves,
  priceOfSqrt,
  priceOfWord,
  reservesOfWord,
  volumeOf,
  wordOfReserves,
} from "../../../lib/markets/core/pool-event.ts";

const pricing: PoolPricing = { kind: "v2", isQuoteFirst: false, tokenDecimals: 6, quoteDecimals: 18 };
const first: PoolPricing = { ...pricing, isQuoteFirst: true };
const text = (price: ReturnType<typeof priceOfWord>) => price && formatDecimal(price);

const q96 = 2n ** 96n;

/** 200 tokens of 6 decimals, and 1 coin. */
const [tokens, coins] = [200_000_000n, 10n ** 18n];

describe("the price of a v2 pool", () => {
  it("is in whole quote tokens for one whole token, on either side", () => {
    expect(text(priceOfReserves(tokens, coins, pricing))).toBe("0.005");
    expect(text(priceOfReserves(coins, tokens, first))).toBe("0.005");
  });

  it("is unknown while it is empty", () => {
    expect(priceOfReserves(0n, coins, pricing)).toBeUndefined();
    expect(priceOfReserves(tokens, 0n, pricing)).toBeUndefined();
  });
});

describe("the price of a v3 pool", () => {
  it("follows from the root of units of its second token for one unit of its first", () => {
    // 4 units of the second token for one of the first.
    const sqrt = 2n * q96;
    const same = { kind: "v3", tokenDecimals: 18, quoteDecimals: 18 } as const;
    expect(text(priceOfSqrt(sqrt, { ...same, isQuoteFirst: false }))).toBe("4");
    expect(text(priceOfSqrt(sqrt, { ...same, isQuoteFirst: true }))).toBe("0.25");
    expect(text(priceOfSqrt(sqrt, { ...same, isQuoteFirst: false, tokenDecimals: 6 }))).toBe(
      "0.000000000004",
    );
  });

  it("is unknown before it has one", () => {
    expect(priceOfSqrt(0n, first)).toBeUndefined();
    expect(priceOfSqrt(0n, pricing)).toBeUndefined();
  });
});

describe("the word of a pool", () => {
  it("has both reserves of a v2 pool, or the root of a v3 pool", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 112n - 1n }),
        fc.bigInt({ min: 0n, max: 2n ** 112n - 1n }),
        (a, b) => {
          expect(reservesOfWord(wordOfReserves(a, b))).toEqual([a, b]);
          expect(priceOfWord(wordOfReserves(a, b), pricing)).toEqual(priceOfReserves(a, b, pricing));
          expect(priceOfWord(a, { ...pricing, kind: "v3" })).toEqual(priceOfSqrt(a, pricing));
        },
      ),
    );
  });
});

describe("the volume of a swap", () => {
  it.each([
    [1_500_000_000n, 18, "0.000000002"],
    [2_500_000_000n, 18, "0.000000002"],
    [1_234_567n, 6, "1.234567"],
    [7n, 0, "7"],
  ])("of %s units with %i decimals is %s", (units, decimals, expected) => {
    expect(formatDecimal(volumeOf(units, decimals))).toBe(expected);
  });

  it("sums to the same in any order", () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 0n, max: 10n ** 25n }), { maxLength: 20 }), (units) => {
        const volumes = units.map((each) => volumeOf(each, 18));
        expect(volumes.toReversed().reduce(add, zero)).toEqual(volumes.reduce(add, zero));
      }),
    );
  });
});
