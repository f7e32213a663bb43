import { describe, expect, it } from "vitest";
import { marketDifference } from "../../app/ticket/market-difference.ts";

const market = { price: "0.0001" as const, flags: ["THIN" as const] };
const differenceOf = (side: "buy" | "sell", price: `${number}`, changes: object = {}) =>
  marketDifference({ side, price }, { ...market, ...changes });

describe("marketDifference", () => {
  it.each([
    ["buy", "0.0001021", "2.1 % above the market price", "warn"],
    ["buy", "0.0001123", "12 % above the market price", "bad"],
    ["buy", "0.0000979", "2.1 % below the market price", "calm"],
    ["sell", "0.0000994", "0.6 % below the market price", "calm"],
    ["sell", "0.00009", "10 % below the market price", "bad"],
    ["sell", "0.0001021", "2.1 % above the market price", "calm"],
  ] as const)("says of a %s at %s: %s", (side, price, text, tier) => {
    expect(differenceOf(side, price)).toEqual({ text, tier });
  });

  it.each([
    ["a difference of 0.4 %", "0.0001004", {}],
    ["a market that is stale", "0.0002", { flags: ["STALE"] }],
    ["a market without a price", "0.0002", { price: undefined }],
    ["a price of 0", "0.0002", { price: "0" }],
  ] as const)("says nothing of %s", (_, price, changes) => {
    expect(differenceOf("buy", price, changes)).toBeUndefined();
  });

  it("says nothing while the market is unknown", () => {
    expect(marketDifference({ side: "buy", price: "1" }, undefined)).toBeUndefined();
  });
});
