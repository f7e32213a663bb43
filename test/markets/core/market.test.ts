import { describe, expect, it } from "vitest";
import { supplyIn } from "../../../lib/markets/core/market.ts";

describe("supplyIn", () => {
  it.each([
    ["in whole tokens", 1_500_000n, 6, { supply: { mantissa: 15n, exponent: -1 } }],
    ["0 of a token that says so", 0n, 18, { supply: { mantissa: 0n, exponent: 0 } }],
    ["absent of a token that does not answer", undefined, 18, {}],
  ])("is %s", (_, totalSupply, decimals, supply) => {
    expect(supplyIn({ totalSupply }, decimals)).toEqual(supply);
  });
});
