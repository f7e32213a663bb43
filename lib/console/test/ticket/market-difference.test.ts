import { describe, expect, it } from "vitest";
import { marketDifference, pricesNow } from "../../app/ticket/market-difference.ts";

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

describe("pricesNow", () => {
  const ofMarket = { price: "0.0001", name: "the market price" };
  const ofAmount = { price: "0.000102", name: "the price for this amount" };
  const old = { ...market, flags: ["STALE" as const] };

  it.each([
    ["the market's price before a quote", market, undefined, ofMarket, ofMarket],
    ["the market's price next to a quote", market, "0.000102", ofAmount, ofMarket],
    ["the quote's price while the market's is old", old, "0.000102", ofAmount, ofAmount],
    ["the quote's price while the market's is unknown", undefined, "0.000102", ofAmount, ofAmount],
    ["the market's old price before a quote", old, undefined, ofMarket, ofMarket],
    ["no price before one is known", undefined, undefined, undefined, undefined],
  ] as const)("counts from %s", (_, known, quoted, now, reference) => {
    expect(pricesNow(known, quoted)).toEqual({ now, reference });
  });
});
