import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wordOfReserves } from "../../../../lib/chains/evm/rules/pool-price.ts";
import { add, formatDecimal, zero } from "../../../../lib/core/decimal.ts";
import { priceOf, volumeOf, type WatchedPool } from "../../../../lib/markets/evm/rules/watched-pool.ts";

const pool: WatchedPool = {
  pool: "0x01",
  quote: "0x02",
  venue: "uniswap-v2",
  token: "0x03",
  decimals: 18,
  quoteDecimals: 6,
  isTokenFirst: true,
};

const priceText = (changes: Partial<WatchedPool>, word: bigint) => {
  const price = priceOf({ ...pool, ...changes }, word);
  return price && formatDecimal(price);
};

describe("priceOf", () => {
  it("computes a v2 pool's price by dividing its reserves", () => {
    const [tokens, dollars] = [200_000n * 10n ** 18n, 52_000n * 10n ** 6n];
    expect(priceText({}, wordOfReserves(tokens, dollars))).toBe("0.26");
    expect(priceText({ isTokenFirst: false }, wordOfReserves(dollars, tokens))).toBe("0.26");
    expect(priceText({}, wordOfReserves(3n * 10n ** 18n, 10n ** 6n))).toBe("0.333333333333333333");
  });

  it("computes the price of other kinds of pools by squaring the stored root", () => {
    const v3 = { venue: "uniswap-v3", decimals: 18, quoteDecimals: 18 } as const;
    expect(priceText(v3, 1n << 97n)).toBe("4");
    expect(priceText({ ...v3, isTokenFirst: false }, 1n << 97n)).toBe("0.25");
    expect(priceText({ ...v3, venue: "slipstream", quoteDecimals: 6 }, 1n << 96n)).toBe("1000000000000");
  });

  it("computes the lowest and highest possible prices of a v3 pool", () => {
    const v3 = { venue: "pancakeswap-v3", decimals: 0, quoteDecimals: 18 } as const;
    expect(priceText(v3, 4_295_128_739n)).toMatch(/^0\.0{56}29389568087743112$/);
    expect(priceText({ ...v3, decimals: 36, quoteDecimals: 6 }, (1n << 160n) - 1n)).toHaveLength(69);
  });

  it("returns no price for an empty pool", () => {
    expect(priceText({}, 0n)).toBeUndefined();
    expect(priceText({}, wordOfReserves(1n, 0n))).toBeUndefined();
    expect(priceText({ venue: "uniswap-v3" }, 0n)).toBeUndefined();
  });
});

describe("volumeOf", () => {
  it.each([
    [1_500_000_000n, 18, "0.000000002"],
    [2_500_000_000n, 18, "0.000000002"],
    [1_234_567n, 6, "1.234567"],
    [7n, 0, "7"],
  ])("converts %s units with %i decimals to %s", (units, decimals, expected) => {
    expect(formatDecimal(volumeOf(units, decimals))).toBe(expected);
  });

  it("adds up volumes to the same sum in any order", () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 0n, max: 10n ** 25n }), { maxLength: 20 }), (units) => {
        const volumes = units.map((each) => volumeOf(each, 18));
        expect(volumes.toReversed().reduce(add, zero)).toEqual(volumes.reduce(add, zero));
      }),
    );
  });
});
