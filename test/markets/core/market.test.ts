import { describe, expect, it } from "vitest";
import { marketNow, supplyIn } from "../../../lib/markets/core/market.ts";
import { decimal, marketAt } from "../support/markets.ts";

describe("supplyIn", () => {
  it.each([
    ["in whole tokens", 1_500_000n, 6, { supply: { mantissa: 15n, exponent: -1 } }],
    ["0 of a token that says so", 0n, 18, { supply: { mantissa: 0n, exponent: 0 } }],
    ["absent of a token that does not answer", undefined, 18, {}],
  ])("is %s", (_, totalSupply, decimals, supply) => {
    expect(supplyIn({ totalSupply }, decimals)).toEqual(supply);
  });
});

describe("marketNow", () => {
  const { chain, token, symbol, name, decimals, pool: best, asOf, firstSeenAt } = marketAt(new Date(0));
  const circumstances = { revision: 0, history: "loading", asOf, firstSeenAt } as const;
  const found = { token: { chain, token, symbol, name, decimals }, block: { number: 57, time: 9 } };

  it("takes the price from the first pool, and counts them all", () => {
    const pools = ["2", "1"].map((price) => ({
      ...(best ?? expect.fail("The market has no pool")),
      price: decimal(price),
    }));
    const market = marketNow({ ...found, pools }, circumstances);
    expect(market).toMatchObject({ pools: 2, pool: best, price: decimal("2"), block: 57, blockTime: 9 });
  });

  it("has no price of a token without pools", () => {
    const market = marketNow({ ...found, pools: [] }, circumstances);
    expect(market).toMatchObject({ pools: 0, token });
    expect([market.pool, market.price]).toEqual([undefined, undefined]);
  });
});
