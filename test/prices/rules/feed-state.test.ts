import { describe, expect, it } from "vitest";
import { networks } from "../../../lib/domain/network.ts";
import type { Asset } from "../../../lib/domain/price.ts";
import {
  type FeedState,
  followedFrom,
  heard,
  isSettled,
  isSilent,
  isSteady,
  pricesOf,
  withoutAsset,
} from "../../../lib/prices/feed-state.ts";
import { timings } from "../../../lib/prices/timings.ts";

const start = Date.parse("2026-11-21T09:00:00.000Z");
const at = (milliseconds: number) => start + milliseconds;
const iso = (milliseconds: number) => new Date(at(milliseconds)).toISOString();

/** Hears a price at a time, made at another, in milliseconds from the start. */
const tell = (state: FeedState, asset: Asset, price: string, now: number, asOf: number | undefined = now) =>
  heard(state, { asset, price, asOf: asOf === undefined ? undefined : new Date(at(asOf)) }, at(now), timings);

const all: Asset[] = ["ETH", "SOL", "BNB", "AVAX"];
const followed = followedFrom(start);
const complete = all.reduce((state, asset) => tell(state, asset, "1.5", 100), followed);

describe("the prices of a feed", () => {
  it("are those of each chain's asset, in the order of the networks, with source and time", () => {
    const state = tell(complete, "ETH", "2616.26", 900, 800);
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

  it("are only those that are known", () => {
    expect(pricesOf(followed, "coinbase")).toEqual([]);
    expect(pricesOf(tell(followed, "SOL", "140", 1), "coinbase").map(({ chain }) => chain)).toEqual(["sol"]);
  });

  it("are not replaced by older ones, which do not count as a sign of life either", () => {
    const newer = tell(followed, "ETH", "2", 1000, 900);
    expect(tell(newer, "ETH", "1", 4000, 899)).toBe(newer);
    expect(tell(newer, "ETH", "3", 4000, 900).quotes.ETH?.price).toBe("3");
    expect(tell(newer, "SOL", "1", 4000, 10).quotes.SOL?.asOf).toBe(iso(10));
  });

  it("are as old as they are heard when the venue tells no time, or one that has not come yet", () => {
    const silentOnTime = heard(followed, { asset: "ETH", price: "1", asOf: undefined }, at(300), timings);
    expect(silentOnTime.quotes.ETH?.asOf).toBe(iso(300));
    const ahead = tell(followed, "ETH", "1", 300, 1e12);
    expect(ahead.quotes.ETH?.asOf).toBe(iso(300));
    expect(tell(ahead, "ETH", "2", 400, 400).quotes.ETH?.price).toBe("2");
  });
});

describe("a feed", () => {
  it("is silent five seconds after it was followed, or after its last price", () => {
    expect(isSilent(followed, at(4999), timings)).toBe(false);
    expect(isSilent(followed, at(5000), timings)).toBe(true);
    const spoken = tell(followed, "ETH", "1", 4000);
    expect(isSilent(spoken, at(8999), timings)).toBe(false);
    expect(isSilent(spoken, at(9000), timings)).toBe(true);
  });

  it("is steady when its prices have come for five seconds, and not when a silence lay between them", () => {
    const spoken = [0, 2000, 4999].reduce((state, now) => tell(state, "ETH", "1", now), followed);
    expect(isSteady(followed, timings)).toBe(false);
    expect(isSteady(spoken, timings)).toBe(false);
    expect(isSteady(tell(spoken, "SOL", "1", 5000), timings)).toBe(true);
    const resumed = tell(spoken, "ETH", "1", 10_000);
    expect(isSteady(resumed, timings)).toBe(false);
    expect(isSteady(tell(tell(resumed, "ETH", "1", 14_000), "ETH", "1", 15_000), timings)).toBe(true);
  });

  it("is settled when it has told all it has, or had two seconds for it", () => {
    expect(isSettled(followed, at(60_000), timings)).toBe(false);
    expect(isSettled(complete, at(100), timings)).toBe(true);
    const some = tell(tell(tell(followed, "ETH", "1", 100), "SOL", "1", 200), "AVAX", "1", 300);
    expect(isSettled(some, at(2099), timings)).toBe(false);
    expect(isSettled(some, at(2100), timings)).toBe(true);
    expect(isSettled(withoutAsset(some, "BNB"), at(300), timings)).toBe(true);
  });

  it("has an asset again once it tells a price of it", () => {
    expect(withoutAsset(withoutAsset(followed, "BNB"), "BNB").absent).toEqual(["BNB"]);
    expect(tell(withoutAsset(followed, "BNB"), "BNB", "1", 1).absent).toEqual([]);
  });
});
