import { describe, expect, it } from "vitest";
import {
  freshTerms,
  hasSide,
  lacksPrice,
  orderTypes,
  type Terms,
  termsOf,
  wrongTerms,
} from "../../app/ticket/order-types.ts";

const terms: Terms = { ...freshTerms, price: "0.0002", stopPrice: "0.00009", takeProfit: "0.0002" };

const wrong = (
  type: Parameters<typeof wrongTerms>[1],
  change: Partial<Terms>,
  chain: "eth" | "sol" = "eth",
) => wrongTerms(chain, type, { ...terms, ...change });

describe("the types of orders", () => {
  it("sell all, and buy only at the market, by a limit and in slices", () => {
    expect(orderTypes.filter(({ type }) => hasSide(type, "buy")).map(({ type }) => type)).toEqual([
      "market",
      "limit",
      "twap",
    ]);
    expect(orderTypes.every(({ type }) => hasSide(type, "sell"))).toBe(true);
  });

  it("need their prices first", () => {
    expect(orderTypes.filter(({ type }) => lacksPrice(type, freshTerms)).map(({ type }) => type)).toEqual([
      "limit",
      "stop",
      "oco",
    ]);
    expect(orderTypes.some(({ type }) => lacksPrice(type, terms))).toBe(false);
    expect(lacksPrice("oco", { ...terms, takeProfit: "" })).toBe(true);
  });
});

describe("termsOf", () => {
  const expiresInSeconds = 2_592_000;

  it.each([
    ["market", { type: "market" }],
    ["limit", { type: "limit", price: "0.0002", expiresInSeconds }],
    ["stop", { type: "stop", stopPrice: "0.00009", expiresInSeconds }],
    [
      "oco",
      { type: "oco", takeProfit: { price: "0.0002" }, stopLoss: { stopPrice: "0.00009" }, expiresInSeconds },
    ],
    ["trailing_stop", { type: "trailing_stop", trailPercent: 10, expiresInSeconds }],
    ["twap", { type: "twap", slices: 4, intervalSeconds: 900 }],
  ] as const)("builds the request of a %s order", (type, body) => {
    expect(termsOf(type, terms)).toEqual(body);
  });

  it("binds a trailing stop and slices to the worst price that the user has seen, unless one is typed", () => {
    for (const type of ["trailing_stop", "twap"] as const) {
      expect(termsOf(type, terms, "0.00007")).toMatchObject({ price: "0.00007" });
      expect(termsOf(type, { ...terms, worst: "0.00008" }, "0.00007")).toMatchObject({ price: "0.00008" });
    }
    expect(termsOf("stop", { ...terms, worst: "0.00008" }, "0.00007")).toMatchObject({ price: "0.00008" });
    expect(termsOf("stop", terms, "0.00007")).not.toHaveProperty("price");
  });
});

describe("wrongTerms", () => {
  it("accepts what is right, and prices that are still to be typed", () => {
    for (const { type } of orderTypes) {
      expect(wrongTerms("eth", type, terms)).toEqual({});
      expect(wrongTerms("eth", type, freshTerms)).toEqual({});
    }
  });

  it.each(["1,5", "-1", "1e3", "0", "x", "1."])("rejects the price %j at its field", (price) => {
    expect(wrong("limit", { price })).toEqual({ price: expect.stringContaining("above 0") });
    expect(wrong("stop", { price })).toEqual({});
  });

  it("requires a take profit above the stop, and a least price below it", () => {
    expect(wrong("oco", { takeProfit: "0.00009" })).toHaveProperty("takeProfit");
    expect(wrong("stop", { worst: "0.00009" })).toHaveProperty("worst");
    expect(wrong("stop", { worst: "0.0000008" })).toHaveProperty("worst");
    expect(wrong("stop", { worst: "0.0000009" })).toEqual({});
  });

  it.each([
    ["trailing_stop", { trailPercent: "0.4" }, "trailPercent"],
    ["trailing_stop", { trailPercent: "91" }, "trailPercent"],
    ["twap", { slices: "1" }, "slices"],
    ["twap", { slices: "2.5" }, "slices"],
    ["twap", { slices: "101" }, "slices"],
    ["twap", { minutes: "0" }, "minutes"],
    ["twap", { slices: "100", minutes: "1282" }, "minutes"],
    ["limit", { days: "91" }, "days"],
    ["limit", { days: "" }, "days"],
  ] as const)("keeps the service's limits of a %s order: %j", (type, change, field) => {
    expect(Object.keys(wrong(type, change))).toEqual([field]);
  });

  it("allows fewer slices on Solana", () => {
    expect(wrong("twap", { slices: "24" }, "sol")).toEqual({});
    expect(wrong("twap", { slices: "25" }, "sol")).toEqual({ slices: expect.stringContaining("24") });
    expect(wrong("twap", { slices: "25" })).toEqual({});
  });
});
