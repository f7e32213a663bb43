import type { Quote } from "trading-terminal-client";
import { describe, expect, it } from "vitest";
import {
  type Asked,
  feeTier,
  impactTier,
  mayBePlacedAfter,
  oldestQuoteMs,
  type Quoted,
  taxTier,
  verdictOf,
} from "../../app/ticket/verdict.ts";

const nowMs = 1_000_000;

const asked: Asked = {
  chain: "eth",
  side: "buy",
  symbol: "MOON",
  deed: "Buy 0.1 ETH of MOON",
  wallet: "0x1",
  isReading: false,
  hasToken: true,
  given: "0.1",
  agreed: "1000",
  isBusy: false,
  isStale: false,
  isUnanswered: false,
};

const quoteOf = (change: Partial<Quote> = {}) =>
  ({
    chain: "eth",
    side: "buy",
    symbol: "MOON/ETH",
    baseSymbol: "MOON",
    amountOut: "1000",
    ...change,
  }) as Quote;

const quoted = (change: Partial<Quote> = {}, more: Partial<Quoted> = {}): Quoted => ({
  quote: quoteOf(change),
  quotedMs: nowMs - 1000,
  ...more,
});

describe("the button that places an order", () => {
  it("offers to place an order while the quote is fresh", () => {
    expect(verdictOf(asked, quoted(), nowMs)).toEqual({ act: "place", text: "Buy 0.1 ETH of MOON" });
  });

  it("offers to make a wallet on a chain that has none, which is no error", () => {
    expect(verdictOf({ ...asked, wallet: undefined }, undefined, nowMs)).toEqual({
      act: "makeWallet",
      text: "Make a wallet on Ethereum",
      reason: "Or import one that you have, under Wallets.",
    });
  });

  it.each<[string, Partial<Asked>, string]>([
    ["an order is being placed", { isBusy: true }, "Placing the order …"],
    ["another order was not answered", { isUnanswered: true }, "An order was not answered"],
    ["the service does not answer", { isStale: true }, "Offline"],
    ["the wallets are not known yet", { isReading: true, wallet: undefined }, "Reading the wallets …"],
    ["there is no token", { hasToken: false }, "Pick a token"],
    ["a field is wrong", { wrong: "slippage" }, "Check the slippage"],
    ["the order needs a price", { lacksPrice: true }, "Enter a price"],
    ["the wallet is empty", { isEmpty: true }, "No ETH to spend"],
    ["there is nothing to sell", { isEmpty: true, side: "sell" }, "No MOON to spend"],
    ["the amount is 0", { given: "0" }, "Enter an amount"],
    ["the amount is no number", { given: "1e3" }, "Enter an amount"],
  ])("disables the button while %s", (_, change, text) => {
    expect(verdictOf({ ...asked, ...change }, quoted(), nowMs)).toMatchObject({ act: "none", text });
  });

  it("disables the button if there is no quote or the quote is too old", () => {
    expect(verdictOf(asked, undefined, nowMs)).toMatchObject({ act: "none", text: "Asking for a quote …" });
    const old = quoted({}, { quotedMs: nowMs - oldestQuoteMs - 1 });
    expect(verdictOf(asked, old, nowMs)).toMatchObject({ act: "none", text: "The quote is too old" });
  });

  it("disables the button and gives the reason if the order would be refused", () => {
    const refusal = { code: "NO_ROUTE", message: "No pool trades this token" } as const;
    expect(verdictOf(asked, quoted({ wouldBeRefused: refusal }), nowMs)).toEqual({
      act: "none",
      text: "Cannot buy MOON",
      reason: "No route: No pool trades this token.",
      tone: "bad",
    });
    expect(verdictOf({ ...asked, isExplained: true }, quoted({ wouldBeRefused: refusal }), nowMs)).toEqual({
      act: "none",
      text: "Cannot buy MOON",
    });
    const failed = { problem: { code: "NO_ROUTE", message: "No pool trades this token" } };
    expect(verdictOf(asked, failed, nowMs)).toMatchObject({ act: "none", reason: /No pool/ });
  });

  it("asks the user again if the output falls by more than 1 %", () => {
    expect(verdictOf(asked, quoted({ amountOut: "990" }), nowMs).act).toBe("place");
    expect(verdictOf(asked, quoted({ amountOut: "989.9" }), nowMs)).toEqual({
      act: "agree",
      text: "Agree to the new price",
      reason: "The price moved: you would get 989.9 MOON instead of 1\u00a0000.",
      tone: "warn",
    });
    expect(verdictOf(asked, quoted({ amountOut: "1500" }), nowMs).act).toBe("place");
    expect(verdictOf({ ...asked, agreed: undefined }, quoted({ amountOut: "1" }), nowMs).act).toBe("place");
  });
});

describe("mayBePlacedAfter", () => {
  const lost = { status: 0 };
  const unavailable = { status: 503, retryAfterSeconds: 5 };

  it.each([
    ["no answer at all", [lost, lost]],
    ["a fault of the service", [{ status: 500 }]],
    ["a lost answer and a gateway that refuses the next try", [lost, { status: 401 }]],
    ["a lost answer and hosts that do not agree in the next try", [lost, unavailable]],
  ])("counts an order as possibly placed after %s", (_, failures) => {
    expect(mayBePlacedAfter(failures, false)).toBe(true);
  });

  it.each([
    ["an answer", []],
    ["a refusal", [{ status: 409 }]],
    ["a lost answer and a refusal of the service, which looked for the order", [lost, { status: 422 }]],
    ["hosts that never agreed", [unavailable, unavailable]],
    ["an expired session", [{ status: 401 }]],
  ])("counts an order as not placed after %s", (_, failures) => {
    expect(mayBePlacedAfter(failures, false)).toBe(false);
  });

  it("counts a repeated order as possibly placed until the service has looked for it", () => {
    expect([{ status: 401 }, unavailable].map((failure) => mayBePlacedAfter([failure], true))).toEqual([
      true,
      true,
    ]);
    expect(mayBePlacedAfter([{ status: 409 }], true)).toBe(false);
  });
});

describe("tiers", () => {
  it("shows a stronger warning the more a trade would lose", () => {
    expect([0, 0.99, 1, 4.99, 5, 91].map(impactTier)).toEqual(["calm", "calm", "warn", "warn", "bad", "bad"]);
    expect([0, null, undefined, 1, 10].map(taxTier)).toEqual(["calm", "calm", "calm", "warn", "bad"]);
    expect([1, 2, 20].map(feeTier)).toEqual(["calm", "warn", "bad"]);
  });
});
