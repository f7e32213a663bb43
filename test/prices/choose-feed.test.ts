import { describe, expect, it } from "vitest";
import { chooseFeed, followedCount } from "../../lib/prices/choose-feed.ts";
import { type FeedState, newFeedState, defaultTimings as timings } from "../../lib/prices/feed-state.ts";

const now = 1_000_000;
const quote = { price: "1", asOf: "2026-11-21T09:00:00.000Z" };
const settled: Pick<FeedState, "latest" | "firstQuoteAtMs"> = {
  latest: { ETH: quote, SOL: quote, BNB: quote, AVAX: quote },
  firstQuoteAtMs: now - 20_000,
};

const connecting = newFeedState(now - 100);
const dead = newFeedState(now - 5000);
const steady = { ...dead, ...settled, quotingSinceMs: now - 5000, lastQuoteAtMs: now };
const resumed = { ...dead, ...settled, quotingSinceMs: now - 1000, lastQuoteAtMs: now };
const silenced = { ...steady, lastQuoteAtMs: now - 5000 };
const unsettled = { ...resumed, latest: { ETH: quote }, firstQuoteAtMs: now - 1000 };

describe("chooseFeed", () => {
  it.each<[string, FeedState[], number, number]>([
    ["starts with the preferred feed", [], 0, 0],
    ["keeps the feed in use while it may still send its first price", [connecting], 0, 0],
    ["keeps the feed in use while it quotes", [resumed, steady], 0, 0],
    ["keeps the feed in use when all are silent", [dead, dead], 0, 0],
    ["keeps a silent feed while the next one is connecting", [silenced, connecting], 0, 0],
    ["keeps a silent feed until the prices of the next one are complete", [silenced, unsettled], 0, 0],
    ["replaces a silent feed by the next one", [silenced, resumed], 0, 1],
    ["replaces a silent feed by the first one that quotes", [dead, silenced, resumed, steady], 1, 2],
    ["keeps the feed in use while the preferred one is not steady yet", [resumed, steady], 1, 1],
    ["returns to the preferred feed when that one is steady", [steady, steady], 1, 0],
    ["returns to the preferred feed at once when the feed in use is silent", [resumed, silenced], 1, 0],
    ["never leaves a quoting feed for a less preferred one", [dead, resumed, steady], 1, 1],
  ])("%s", (_, states, current, chosen) => {
    expect(chooseFeed(states, current, now, timings)).toBe(chosen);
  });
});

describe("followedCount", () => {
  it.each<[string, FeedState[], number, number]>([
    ["starts with only the preferred feed", [], 0, 1],
    ["stays at one while that feed may still send its first price", [connecting], 0, 1],
    ["adds a second feed when the first is silent", [dead], 0, 2],
    ["adds no third feed while the second may still send its first price", [dead, connecting], 0, 2],
    ["adds a third feed when both are silent", [dead, dead], 0, 3],
    ["includes the feeds that are preferred to the one in use", [resumed, steady], 1, 2],
    ["drops the others when the preferred feed is in use again", [steady, steady], 0, 1],
  ])("%s", (_, states, current, count) => {
    expect(followedCount(states, current, now, timings)).toBe(count);
  });
});
