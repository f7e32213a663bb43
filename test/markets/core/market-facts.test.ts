import { describe, expect, it } from "vitest";
import { type Decimal, formatDecimal, parseDecimal } from "../../../lib/core/decimal.ts";
import type { MarketPool } from "../../../lib/markets/core/market.ts";
import { marketFlagsOf, percentBetween, worthOf } from "../../../lib/markets/core/market-facts.ts";

const decimal = (text: string) => parseDecimal(text) as Decimal;

const poolOf = (depth: string, quote = "native"): MarketPool => ({
  pool: "0x1",
  quote,
  venue: "uniswap-v2",
  feeBps: 30,
  depth: decimal(depth),
});

const shown = (worth: ReturnType<typeof worthOf>) =>
  Object.fromEntries(Object.entries(worth).map(([name, value]) => [name, formatDecimal(value)]));

describe("worthOf", () => {
  it("converts a price in coin to dollars by the coin's price", () => {
    const market = { pool: poolOf("12"), price: decimal("0.0001") };
    expect(shown(worthOf(market, decimal("2600")))).toEqual({
      price: "0.0001",
      priceUsd: "0.26",
      depth: "12",
      depthUsd: "31200",
    });
    expect(shown(worthOf(market))).toEqual({ price: "0.0001", depth: "12" });
  });

  it("converts a price in dollars to coin by the coin's price", () => {
    const market = { pool: poolOf("12", "0xUSDC"), price: decimal("0.26") };
    expect(shown(worthOf(market, decimal("2600")))).toMatchObject({ price: "0.0001", priceUsd: "0.26" });
    expect(shown(worthOf(market))).toEqual({ priceUsd: "0.26", depth: "12" });
  });

  it("returns no figures without a pool", () => {
    expect(worthOf({}, decimal("2600"))).toEqual({});
  });
});

describe("marketFlagsOf", () => {
  const now = { headTime: 1000, nowMs: 1_000_000 };
  const flags = (market: object, at: object) =>
    marketFlagsOf({ chain: "base", hasGaps: false, ...market }, { ...now, ...at });

  it.each([
    ["4.999", undefined, ["THIN"]],
    ["5", undefined, []],
    ["5", "1999", ["THIN"]],
    ["5", "2000", []],
    ["4.999", "9000", ["THIN"]],
  ])("returns for a depth of %s coins at $%s the flags %j", (depth, usd, expected) => {
    expect(flags({ pool: poolOf(depth) }, { coinUsd: usd && decimal(usd) })).toEqual(expected);
  });

  it.each([
    ["base", 10, []],
    ["base", 11, ["STALE"]],
    ["eth", 60, []],
    ["eth", 61, ["STALE"]],
  ])("returns for a head on %s from %i seconds ago the flags %j", (chain, seconds, expected) => {
    expect(flags({ chain, pool: poolOf("100") }, { nowMs: (1000 + seconds) * 1000 })).toEqual(expected);
  });

  it("flags gaps and a missing pool", () => {
    expect(flags({ hasGaps: true }, {})).toEqual(["GAPS", "NO_POOL"]);
  });
});

const maybe = (text: string | undefined) => (text === undefined ? undefined : decimal(text));

describe("percentBetween", () => {
  it.each([
    ["1", "1.148", 14.8],
    ["3", "2", -33.3333],
    ["0.000000000000000001", "0.000000000000000001", 0],
    ["0", "1", undefined],
    ["1", undefined, undefined],
    [undefined, "1", undefined],
  ])("computes the change from %s to %s as %s", (before, after, percent) => {
    expect(percentBetween(maybe(before), maybe(after))).toBe(percent);
  });
});
