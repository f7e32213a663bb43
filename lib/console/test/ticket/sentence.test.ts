import { describe, expect, it } from "vitest";
import { freshTerms, type OrderType, orderTypes } from "../../app/ticket/order-types.ts";
import { deedOf, type Known, sentenceOf, shortSymbol, type Written } from "../../app/ticket/sentence.ts";

const terms = {
  ...freshTerms,
  price: "0.0002",
  stopPrice: "0.00009",
  takeProfit: "0.0002",
};
const buy = { chain: "eth", side: "buy", symbol: "MOON", given: "0.1", unit: "amount", terms } as const;
const half = { ...buy, side: "sell", given: "50", unit: "percent" } as const;
const known: Known = {
  amount: "1204.5",
  now: { price: "0.0001", name: "the price for this amount" },
  reference: { price: "0.0001", name: "the market price" },
  worst: "0.000072",
};

const of = (order: Omit<Written, "type">, type: OrderType, more: Known = known) =>
  sentenceOf({ ...order, type }, more);

describe("the sentence about an order", () => {
  it("says what a market order brings, and the minimum that it may bring", () => {
    const quoted = { amountOut: "996.006", minAmountOut: "986.0469" };
    expect(of(buy, "market", quoted)).toBe(
      "Buys MOON for 0.1 ETH now: about 996.006 MOON, and at least 986.046.",
    );
    expect(of(half, "market", { amount: "1204.5", amountOut: "0.12", minAmountOut: "0.118" })).toBe(
      "Sells 50 % of your MOON, 1\u00a0204.5, now: about 0.12 ETH, and at least 0.118.",
    );
    expect(of(buy, "market", {})).toBe("Buys MOON for 0.1 ETH now.");
  });

  it("says when a limit buys or sells, and for how much at least", () => {
    const low = { ...buy, terms: { ...terms, price: "0.00008" } };
    expect(of(low, "limit")).toBe(
      "Buys MOON for 0.1 ETH as soon as the price falls to 0.00008 ETH (20 % below the market price) within 30 days; you get at least 1\u00a0250 MOON.",
    );
    expect(of(half, "limit")).toBe(
      "Sells 50 % of your MOON, 1\u00a0204.5, as soon as the price rises to 0.0002 ETH (100 % above the market price) within 30 days; you get at least 0.2409 ETH.",
    );
  });

  it("counts a limit's distance from the reference, which it names, and not from the price for the amount", () => {
    const low = { ...buy, terms: { ...terms, price: "0.000095" } };
    const now = { price: "0.0000977", name: "the price for this amount" };
    const near = { ...known, now };
    expect(of(low, "limit", near)).toContain("(5 % below the market price)");
    expect(of(low, "limit", { ...near, reference: now })).toContain(
      "(2.76 % below the price for this amount)",
    );
  });

  it("says that a limit whose price is reached fires at once", () => {
    expect(of(buy, "limit")).toBe(
      "Buys MOON for 0.1 ETH at once, as the price for this amount is 0.0001 ETH already; you get at least 500 MOON.",
    );
    expect(of({ ...half, terms: { ...terms, price: "0.00008" } }, "limit")).toContain(" at once, ");
  });

  it("says where a stop sells, and that it sells nothing below its least price", () => {
    expect(of(half, "stop")).toBe(
      "Sells 50 % of your MOON, 1\u00a0204.5, as soon as the price falls to 0.00009 ETH (10 % below the market price) within 30 days; you get at least 0.086724 ETH, or nothing is sold.",
    );
    const own = { ...half, terms: { ...terms, worst: "0.00008", days: "1" } };
    expect(of(own, "stop")).toContain("within 1 day; you get at least 0.09636 ETH");
  });

  it("names both ends of a pair", () => {
    expect(of(half, "oco")).toBe(
      "Sells 50 % of your MOON, 1\u00a0204.5, as soon as the price rises to 0.0002 ETH (100 % above the market price), for at least 0.2409 ETH, or falls to 0.00009 ETH (10 % below the market price), for at least 0.086724 ETH, whichever comes first within 30 days.",
    );
  });

  it("says how far a trailing stop follows, and where it would sell at first", () => {
    expect(of({ ...half, given: "100" }, "trailing_stop")).toBe(
      "Sells all of your MOON, 1\u00a0204.5, as soon as the price has fallen 10 % below its highest from now on, at first 0.00009 ETH, within 30 days; you get at least 0.086724 ETH, or nothing is sold.",
    );
  });

  it("says the size, the times and the price of slices", () => {
    expect(of(buy, "twap", { worst: "0.00013" })).toBe(
      "Buys MOON for 0.1 ETH in 4 parts of 0.025 ETH, one every 15 minutes, the first now and the last in 45 minutes, each at 0.00013 ETH or less; you get at least 769.23 MOON if all are filled.",
    );
    const hourly = { ...half, terms: { ...terms, minutes: "60", slices: "25", worst: "0.00007" } };
    expect(of(hourly, "twap")).toBe(
      "Sells 50 % of your MOON, 1\u00a0204.5, in 25 parts of 48.18 MOON, one every hour, the first now and the last in 1 day, each at 0.00007 ETH or more; you get at least 0.084315 ETH if all are filled.",
    );
  });

  it.each(orderTypes.flatMap(({ type, sides }) => sides.map((side) => [type, side] as const)))(
    "names an exact amount of tokens or coins in a %s order to %s",
    (type, side) => {
      const sentence = of({ ...buy, side, given: "1234.000000000000000001" }, type, {});
      expect(sentence).toContain("1\u00a0234.000000000000000001");
      expect(sentence).not.toMatch(/undefined|NaN|,,|\.\.| {2}/);
    },
  );
});

describe("the button's text", () => {
  it.each<[Omit<Written, "type">, OrderType, string]>([
    [buy, "market", "Buy 0.1 ETH of MOON"],
    [half, "market", "Sell 50 % of MOON"],
    [{ ...half, given: "100" }, "market", "Sell all MOON"],
    [{ ...half, given: "12.5", unit: "amount" }, "market", "Sell 12.5 MOON"],
    [buy, "limit", "Buy 0.1 ETH of MOON at 0.0002"],
    [half, "stop", "Sell 50 % of MOON at 0.00009"],
    [half, "oco", "Sell 50 % of MOON at 0.0002 or 0.00009"],
    [half, "trailing_stop", "Sell 50 % of MOON 10 % below the top"],
    [buy, "twap", "Buy 0.1 ETH of MOON in 4 parts"],
  ])("names amount and price: %#", (order, type, text) => {
    expect(deedOf({ ...order, type })).toBe(text);
  });
});

describe("the symbol in a sentence", () => {
  it("is short, isolated if it runs from right to left, and never empty", () => {
    expect(shortSymbol("MOON")).toBe("MOON");
    expect(shortSymbol("")).toBe("token");
    expect(shortSymbol("A_SYMBOL_OF_32_LETTERS")).toBe("A_SYMBOL_OF…");
    expect(shortSymbol("🌕".repeat(32))).toBe(`\u2068${"🌕".repeat(11)}…\u2069`);
    expect(shortSymbol("שלום")).toBe("\u2068שלום\u2069");
  });
});
