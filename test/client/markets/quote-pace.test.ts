import type { MarketRecord } from "trading-terminal-client";
import { quoteBasis, quotePauseMs } from "trading-terminal-client/markets";
import { describe, expect, it } from "vitest";

const token = `0x${"a".repeat(40)}` as const;
const quote = { chain: "base", token, block: 100 } as const;
const moving = 5000;
const still = 12_000;

const market = (changes: Partial<MarketRecord> = {}): { markets: MarketRecord[] } => ({
  markets: [
    {
      chain: "base",
      token,
      price: "0.5",
      flags: [],
      revision: 0,
      block: 99,
      asOf: "2026-11-21T09:30:00.000Z",
      ...changes,
    },
  ],
});

/** Returns the pause after a quote that arrived in one state and is shown in another. */
const pauseBetween = (then: ReturnType<typeof market>, now: ReturnType<typeof market>) =>
  quotePauseMs(quoteBasis(quote, then), now);

describe("quotePauseMs", () => {
  it("waits long while the price stays, whatever else the market reports", () => {
    expect(pauseBetween(market(), market())).toBe(still);
    expect(pauseBetween(market(), market({ block: 130, liquidity: "7" }))).toBe(still);
    expect(pauseBetween(market({ flags: ["THIN"] }), market({ flags: ["THIN"] }))).toBe(still);
  });

  it("asks soon after the price has changed in a later block", () => {
    expect(pauseBetween(market(), market({ block: 101, price: "0.6" }))).toBe(moving);
  });

  it("ignores a change that the quote already includes", () => {
    expect(pauseBetween(market(), market({ block: 100, price: "0.6" }))).toBe(still);
  });

  it("asks soon if the market was ahead of the quote", () => {
    expect(pauseBetween(market({ block: 101 }), market({ block: 101 }))).toBe(moving);
  });

  it.each(["STALE", "GAPS", "NO_POOL", "TOO_MANY_TOKENS"] as const)(
    "asks soon if the market has the flag %s, because changes may be missing",
    (flag) => {
      expect(pauseBetween(market(), market({ flags: [flag] }))).toBe(moving);
      expect(pauseBetween(market({ flags: [flag] }), market())).toBe(moving);
    },
  );

  it("asks soon without a quote, a stream or the token's market", () => {
    const basis = quoteBasis(quote, market());
    expect(quotePauseMs(undefined, market())).toBe(moving);
    expect(quotePauseMs(basis, undefined)).toBe(moving);
    expect(quotePauseMs(basis, { markets: [] })).toBe(moving);
    expect(quotePauseMs(basis, market({ chain: "eth" }))).toBe(moving);
    const { price: _, ...unpriced } = market().markets[0] as MarketRecord;
    expect(quotePauseMs(basis, { markets: [unpriced] })).toBe(moving);
  });

  it("knows the token in any case of its address", () => {
    const upper = market({ token: `0x${"A".repeat(40)}`, block: 101, price: "0.6" });
    expect(pauseBetween(market(), upper)).toBe(moving);
    expect(pauseBetween(upper, upper)).toBe(moving);
    expect(pauseBetween(market(), market({ token: `0x${"A".repeat(40)}` }))).toBe(still);
  });
});
