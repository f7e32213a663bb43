import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EvmRoute } from "../../../../lib/chains/evm/rules/intent.ts";
import { plainEvmRoute } from "../../../../lib/chains/evm/rules/intent.ts";
import { priceAt, wordOfReserves } from "../../../../lib/chains/evm/rules/pool-price.ts";
import {
  type BindableRoute,
  bestRoute,
  type Candidate,
  routesToBind,
} from "../../../../lib/chains/evm/rules/route-choice.ts";
import { percentOf } from "../../../../lib/orders/percent.ts";
import { priceImpact } from "../../../../lib/orders/price-impact.ts";
import { v2, v2OverUSDC, v3, v3OverUSDC } from "../../../support/trading.ts";

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
  ])("computes, for a part of %s in a total of %s, the percentage %s", (part, total, percent) => {
    expect(percentOf(part, total)).toBe(percent);
  });
});

describe("priceImpact", () => {
  const v2Pool = { venue: "uniswap-v2" } as const;
  const v3Pool = { venue: "uniswap-v3" } as const;
  const coinsAndTokens = wordOfReserves(100n * coin, 1_000_000n * coin);

  it("measures a swap on v2 against the price before it, ignoring the pool's fee", () => {
    const swap = { amountIn: coin / 2n, amountOut: 4_960_273_038_901_078_125_544n, fees: [30] };
    expect(priceImpact(priceAt(v2Pool, coinsAndTokens, true), swap)).toBe(0.496);
  });

  it("returns the same price impact in the other direction", () => {
    const amountIn = 5000n * coin;
    const amountOut = (100n * coin * amountIn * 997n) / (1_000_000n * coin * 1000n + amountIn * 997n);
    expect(priceImpact(priceAt(v2Pool, coinsAndTokens, false), { amountIn, amountOut, fees: [30] })).toBe(
      0.496,
    );
  });

  it("reads the price of a v3 pool in both directions", () => {
    // One unit of the second token is worth a quarter of the first.
    const sqrtPrice = 2n << 96n;
    const swap = (amountOut: bigint) => ({ amountIn: 1_000_000n, amountOut, fees: [100] });
    expect(priceImpact(priceAt(v3Pool, sqrtPrice, true), swap(3_960_000n))).toBe(0);
    expect(priceImpact(priceAt(v3Pool, sqrtPrice, true), swap(3_564_000n))).toBe(10);
    expect(priceImpact(priceAt(v3Pool, sqrtPrice, false), swap(247_500n))).toBe(0);
    expect(priceImpact(priceAt(v3Pool, sqrtPrice, false), swap(123_750n))).toBe(50);
  });

  it("never returns a negative price impact", () => {
    expect(priceImpact({ out: 1n, in: 1n }, { amountIn: 100n, amountOut: 101n, fees: [0] })).toBe(0);
  });
});

describe("bestRoute", () => {
  const v2 = { venue: "uniswap-v2", feeBps: 30, amountOut: 1000n, networkFee: 0n } as const;
  const v3 = { venue: "uniswap-v3", feeBps: 5, amountOut: 1000n, networkFee: 0n } as const;
  const sale = { side: "sell", amountIn: 500n, isListed: true } as const;

  it("returns the route that pays most, and the first of two equal routes", () => {
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
    // One coin buys two tokens.
    const buy = { side: "buy", amountIn: 500n, isListed: true } as const;
    const dear = { ...v3, amountOut: 1004n, networkFee: 2n };
    expect(bestRoute([v2, dear], buy)).toBe(v2);
    expect(bestRoute([v2, { ...dear, amountOut: 1006n }], buy)).toMatchObject({ amountOut: 1006n });
  });

  it("prefers v2 for an unlisted token, unless v3 pays 1 % more", () => {
    const strange = { ...sale, isListed: false };
    expect(bestRoute([v2, { ...v3, amountOut: 1009n }], strange)).toBe(v2);
    expect(bestRoute([v2, { ...v3, amountOut: 1010n }], strange)).toMatchObject({ amountOut: 1010n });
    expect(bestRoute([v3], strange)).toBe(v3);
  });

  it("decides by the token's own pool whether a route through a quote token counts as v2 or v3", () => {
    const strange = { ...sale, isListed: false };
    const [onV2, onV3] = [v2OverUSDC, v3OverUSDC].map((route) => ({ ...v2, ...route }));
    const better = { amountOut: 1009n };
    expect(bestRoute([onV2 as Candidate, { ...v3, ...better }], strange)).toBe(onV2);
    expect(bestRoute([v2, { ...onV3, ...better } as Candidate], strange)).toBe(v2);
  });

  it("never returns a route for a listed token if another route pays more after fees", () => {
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

describe("routesToBind", () => {
  const trade = { side: "buy", amountIn: 500n, isListed: true } as const;
  const pool = (feeBps: number, amountOut: bigint, deepOut: bigint, router = v3.router): BindableRoute => ({
    ...v3,
    feeBps,
    router,
    amountOut,
    deepOut,
    networkFee: 0n,
  });
  const bound = (
    routes: readonly BindableRoute[],
    changes: Partial<Parameters<typeof routesToBind>[1]> = {},
  ) => routesToBind(routes, { ...trade, ...changes }, 1000n).map(({ feeBps }) => feeBps);

  it("binds the best route, then the deepest, then the next best", () => {
    // Three small pools priced slightly above the market, as a token's owner can make them.
    const owned = [pool(1, 1030n, 1500n), pool(5, 1029n, 1500n), pool(10, 1028n, 1500n)];
    expect(bound([...owned, pool(100, 1010n, 4000n)])).toEqual([1, 100, 5]);
    expect(bound([pool(100, 1030n, 4000n), ...owned.slice(1)])).toEqual([100, 5, 10]);
  });

  it("binds only routes that reach the minimum, except for the quote's own route", () => {
    expect(bound([pool(1, 990n, 1n), pool(5, 999n, 9000n), pool(10, 980n, 9000n)])).toEqual([1]);
    expect(bound([pool(1, 1030n, 1n), pool(5, 999n, 9000n), pool(10, 1000n, 0n)])).toEqual([1, 10]);
    expect(bound([])).toEqual([]);
  });

  it("binds at most two routers for a sale, because approvals are limited", () => {
    const routes = [
      pool(1, 1030n, 1n, "0x1"),
      pool(5, 1029n, 4000n, "0x2"),
      pool(10, 1028n, 1n, "0x3"),
      pool(30, 1027n, 1n, "0x1"),
    ];
    expect(bound(routes)).toEqual([1, 5, 10]);
    expect(bound(routes, { side: "sell" })).toEqual([1, 5, 30]);
  });

  it("binds at most one route through each pool of the token", () => {
    const usdc = (route: BindableRoute, feeBps: number): BindableRoute => ({
      ...route,
      bridge: { venue: "uniswap-v3", feeBps, token: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48" },
    });
    const best = usdc(pool(30, 1030n, 1n), 5);
    const routes = [
      best,
      usdc(pool(30, 1029n, 4000n), 1),
      pool(30, 1028n, 2000n),
      usdc(pool(5, 1027n, 1n), 5),
    ];
    expect(routesToBind(routes, trade, 1000n)).toEqual(
      [best, routes[2], routes[3]].map((each) => plainEvmRoute(each as EvmRoute)),
    );
  });

  it("prefers a v2 pool as the deepest route of an unlisted token", () => {
    const deep = { ...pool(30, 1001n, 3990n, v2.router), venue: "uniswap-v2" } as const;
    const routes = [pool(1, 1030n, 1n), pool(5, 1029n, 4000n), deep];
    expect(bound(routes)).toEqual([1, 5, 30]);
    expect(bound(routes, { isListed: false })).toEqual([1, 30, 5]);
  });

  it("binds a route by venue, fee and router only", () => {
    expect(routesToBind([{ ...pool(30, 1n, 1n), pool: "0x9" } as BindableRoute], trade, 1n)).toEqual([v3]);
  });
});
