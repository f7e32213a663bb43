import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { priceImpact, v2Price, v3Price } from "../../../../lib/trading/core/evm/pool-price.ts";
import { bestRoute, type Candidate } from "../../../../lib/trading/core/evm/route-choice.ts";
import { percentOf } from "../../../../lib/trading/core/percent.ts";

const coin = 10n ** 18n;

describe("percentOf", () => {
  it.each([
    [0n, 10n, 0],
    [1n, 10n, 10],
    [1n, 3n, 33.3333],
    [2n, 3n, 66.6667],
    [1n, 2_000_000n, 0.0001],
    [1n, 2_000_001n, 0],
    [-1n, 10n, 0],
    [5n, 0n, 0],
    [10n ** 60n, 10n ** 60n, 100],
  ])("returns, for %s in %s, %s", (part, total, percent) => {
    expect(percentOf(part, total)).toBe(percent);
  });
});

describe("priceImpact", () => {
  const reserves = { coins: 100n * coin, tokens: 1_000_000n * coin };

  it("compares a swap on v2 with the price before it, without the pool's fee", () => {
    const swap = { amountIn: coin / 2n, amountOut: 4_960_273_038_901_078_125_544n, feeBps: 30 };
    expect(priceImpact(v2Price("buy", reserves), swap)).toBe(0.496);
  });

  it("is the same in the other direction", () => {
    const amountIn = 5000n * coin;
    const amountOut = (100n * coin * amountIn * 997n) / (1_000_000n * coin * 1000n + amountIn * 997n);
    expect(priceImpact(v2Price("sell", reserves), { amountIn, amountOut, feeBps: 30 })).toBe(0.496);
  });

  it("reads the price of a v3 pool in both directions", () => {
    // The second token is worth a quarter of the first.
    const sqrtPrice = 2n << 96n;
    const swap = (amountOut: bigint) => ({ amountIn: 1_000_000n, amountOut, feeBps: 100 });
    expect(priceImpact(v3Price(sqrtPrice, true), swap(3_960_000n))).toBe(0);
    expect(priceImpact(v3Price(sqrtPrice, true), swap(3_564_000n))).toBe(10);
    expect(priceImpact(v3Price(sqrtPrice, false), swap(247_500n))).toBe(0);
    expect(priceImpact(v3Price(sqrtPrice, false), swap(123_750n))).toBe(50);
  });

  it("is never below 0", () => {
    expect(priceImpact({ out: 1n, in: 1n }, { amountIn: 100n, amountOut: 101n, feeBps: 0 })).toBe(0);
  });
});

describe("bestRoute", () => {
  const v2 = { venue: "uniswap-v2", feeBps: 30, amountOut: 1000n, networkFee: 0n } as const;
  const v3 = { venue: "uniswap-v3", feeBps: 5, amountOut: 1000n, networkFee: 0n } as const;
  const sale = { side: "sell", amountIn: 500n, isListed: true } as const;

  it("takes the route that brings most, and the first of two equal ones", () => {
    expect(bestRoute([v2, { ...v3, amountOut: 1001n }], sale)).toMatchObject({ amountOut: 1001n });
    expect(bestRoute([v2, v3], sale)).toBe(v2);
    expect(bestRoute([v3, v2], sale)).toBe(v3);
    expect(bestRoute([], sale)).toBeUndefined();
  });

  it("subtracts the network fee from the proceeds of a sale", () => {
    const dear = { ...v3, amountOut: 1001n, networkFee: 2n };
    expect(bestRoute([v2, dear], sale)).toBe(v2);
  });

  it("converts the network fee of a buy into tokens at the best price", () => {
    // A coin buys two tokens.
    const buy = { side: "buy", amountIn: 500n, isListed: true } as const;
    const dear = { ...v3, amountOut: 1004n, networkFee: 2n };
    expect(bestRoute([v2, dear], buy)).toBe(v2);
    expect(bestRoute([v2, { ...dear, amountOut: 1006n }], buy)).toMatchObject({ amountOut: 1006n });
  });

  it("takes v2 for an unlisted token, unless v3 is better by 1 %", () => {
    const strange = { ...sale, isListed: false };
    expect(bestRoute([v2, { ...v3, amountOut: 1009n }], strange)).toBe(v2);
    expect(bestRoute([v2, { ...v3, amountOut: 1010n }], strange)).toMatchObject({ amountOut: 1010n });
    expect(bestRoute([v3], strange)).toBe(v3);
  });

  it("never takes a route that leaves less than another, for a listed token", () => {
    const candidate: fc.Arbitrary<Candidate> = fc.record({
      venue: fc.constantFrom("uniswap-v2" as const, "pancakeswap-v2" as const, "uniswap-v3" as const),
      feeBps: fc.constantFrom(5, 30),
      amountOut: fc.bigInt({ min: 1n, max: 10n ** 30n }),
      networkFee: fc.bigInt({ min: 0n, max: 10n ** 18n }),
    });
    fc.assert(
      fc.property(fc.array(candidate, { minLength: 1 }), (candidates) => {
        const best = bestRoute(candidates, sale) as Candidate;
        for (const { amountOut, networkFee } of candidates)
          expect(best.amountOut - best.networkFee).toBeGreaterThanOrEqual(amountOut - networkFee);
      }),
    );
  });
});
