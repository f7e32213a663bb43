import { describe, expect, it } from "vitest";
import { networks } from "../../lib/core/network.ts";
import {
  type FeedState,
  isSettled,
  isSilent,
  isSteady,
  newFeedState,
  pricesOf,
  defaultTimings as timings,
  withoutAsset,
  withQuote,
} from "../../lib/prices/feed-state.ts";
import type { Asset } from "../../lib/prices/price.ts";

const start = Date.parse("2026-11-21T09:00:00.000Z");
const at = (milliseconds: number) => start + milliseconds;
const iso = (milliseconds: number) => new Date(at(milliseconds)).toISOString();

/** Adds a quote that arrives at `now` and was made at `asOf`, both in milliseconds from the start. */
const quote = (state: FeedState, asset: Asset, price: string, now: number, asOf: number | undefined = now) =>
  withQuote(
    state,
    { asset, price, asOf: asOf === undefined ? undefined : new Date(at(asOf)) },
    at(now),
    timings,
  );

const all: Asset[] = ["ETH", "SOL", "BNB", "AVAX"];
const followed = newFeedState(start);
const complete = all.reduce((state, asset) => quote(state, asset, "1.5", 100), followed);

describe("pricesOf", () => {
  it("lists the price of each chain's asset in the order of the networks, with source and time", () => {
    const state = quote(complete, "ETH", "2616.26", 900, 800);
    const prices = pricesOf(state, "coinbase");
    expect(prices.map(({ chain }) => chain)).toEqual(networks);
    const ether = {
      symbol: "ETH",
      price: "2616.26",
      currency: "USD",
      source: "coinbase",
      asOf: iso(800),
    };
    expect(prices.slice(0, 2)).toEqual([
      { chain: "eth", ...ether },
      { chain: "base", ...ether },
    ]);
    expect(prices[3]).toMatchObject({ chain: "bsc", symbol: "BNB", asOf: iso(100) });
  });

  it("leaves out assets without a price", () => {
    expect(pricesOf(followed, "coinbase")).toEqual([]);
    expect(pricesOf(quote(followed, "SOL", "140", 1), "coinbase").map(({ chain }) => chain)).toEqual(["sol"]);
  });
});

describe("withQuote", () => {
  it("ignores a quote that is older than the current one, even as a sign of life", () => {
    const newer = quote(followed, "ETH", "2", 1000, 900);
    expect(quote(newer, "ETH", "1", 4000, 899)).toBe(newer);
    expect(quote(newer, "ETH", "3", 4000, 900).latest.ETH?.price).toBe("3");
    expect(quote(newer, "SOL", "1", 4000, 10).latest.SOL?.asOf).toBe(iso(10));
  });

  it("dates a quote by its arrival if its own time is missing or in the future", () => {
    const undated = withQuote(followed, { asset: "ETH", price: "1", asOf: undefined }, at(300), timings);
    expect(undated.latest.ETH?.asOf).toBe(iso(300));
    const ahead = quote(followed, "ETH", "1", 300, 1e12);
    expect(ahead.latest.ETH?.asOf).toBe(iso(300));
    expect(quote(ahead, "ETH", "2", 400, 400).latest.ETH?.price).toBe("2");
  });
});

describe("isSilent", () => {
  it("counts a feed as silent five seconds after its start or its last quote", () => {
    expect(isSilent(followed, at(4999), timings)).toBe(false);
    expect(isSilent(followed, at(5000), timings)).toBe(true);
    const quoted = quote(followed, "ETH", "1", 4000);
    expect(isSilent(quoted, at(8999), timings)).toBe(false);
    expect(isSilent(quoted, at(9000), timings)).toBe(true);
  });
});

describe("isSteady", () => {
  it("counts a feed as steady after five seconds of quotes without a silence", () => {
    const quoted = [0, 2000, 4999].reduce((state, now) => quote(state, "ETH", "1", now), followed);
    expect(isSteady(followed, timings)).toBe(false);
    expect(isSteady(quoted, timings)).toBe(false);
    expect(isSteady(quote(quoted, "SOL", "1", 5000), timings)).toBe(true);
    const resumed = quote(quoted, "ETH", "1", 10_000);
    expect(isSteady(resumed, timings)).toBe(false);
    expect(isSteady(quote(quote(resumed, "ETH", "1", 14_000), "ETH", "1", 15_000), timings)).toBe(true);
  });
});

describe("isSettled", () => {
  it("counts a feed as settled once every asset has a price, or after two seconds", () => {
    expect(isSettled(followed, at(60_000), timings)).toBe(false);
    expect(isSettled(complete, at(100), timings)).toBe(true);
    const some = quote(quote(quote(followed, "ETH", "1", 100), "SOL", "1", 200), "AVAX", "1", 300);
    expect(isSettled(some, at(2099), timings)).toBe(false);
    expect(isSettled(some, at(2100), timings)).toBe(true);
    expect(isSettled(withoutAsset(some, "BNB"), at(300), timings)).toBe(true);
  });
});

describe("withoutAsset", () => {
  it("marks an asset as absent until its next quote", () => {
    expect(withoutAsset(withoutAsset(followed, "BNB"), "BNB").absent).toEqual(["BNB"]);
    expect(quote(withoutAsset(followed, "BNB"), "BNB", "1", 1).absent).toEqual([]);
  });
});
