import { describe, expect, it } from "vitest";
import { chooseFeed, followedCount } from "../../../lib/prices/choose-feed.ts";
import { type FeedState, followedFrom } from "../../../lib/prices/feed-state.ts";
import { timings } from "../../../lib/prices/timings.ts";

const now = 1_000_000;
const quote = { price: "1", asOf: "2026-11-21T09:00:00.000Z" };
const told: Pick<FeedState, "quotes" | "firstPriceAt"> = {
  quotes: { ETH: quote, SOL: quote, BNB: quote, AVAX: quote },
  firstPriceAt: now - 20_000,
};

const connecting = followedFrom(now - 100);
const dead = followedFrom(now - 5000);
const steady = { ...dead, ...told, speakingSince: now - 5000, lastPriceAt: now };
const resumed = { ...dead, ...told, speakingSince: now - 1000, lastPriceAt: now };
const fallenSilent = { ...steady, lastPriceAt: now - 5000 };
const unsettled = { ...resumed, quotes: { ETH: quote }, firstPriceAt: now - 1000 };

describe("the feed in use", () => {
  it.each<[string, FeedState[], number, number]>([
    ["is the preferred one at first", [], 0, 0],
    ["is kept while it may yet speak", [connecting], 0, 0],
    ["is kept while it speaks", [resumed, steady], 0, 0],
    ["is kept when all are silent", [dead, dead], 0, 0],
    ["is kept when silent while the next one is connecting", [fallenSilent, connecting], 0, 0],
    ["is kept when silent until the next one has told what it has", [fallenSilent, unsettled], 0, 0],
    ["gives way to the next when it is silent", [fallenSilent, resumed], 0, 1],
    ["gives way to the first that speaks", [dead, fallenSilent, resumed, steady], 1, 2],
    ["is kept while the preferred one is not steady yet", [resumed, steady], 1, 1],
    ["gives way to the preferred one when that is steady", [steady, steady], 1, 0],
    ["gives way to the preferred one at once when it is silent itself", [resumed, fallenSilent], 1, 0],
    ["does not give way to a less preferred one, however steady", [dead, resumed, steady], 1, 1],
  ])("%s", (_, states, current, chosen) => {
    expect(chooseFeed(states, current, now, timings)).toBe(chosen);
  });
});

describe("the feeds that are followed", () => {
  it.each<[string, FeedState[], number, number]>([
    ["are the preferred one at first", [], 0, 1],
    ["are one while it may yet speak", [connecting], 0, 1],
    ["are one more when it is silent", [dead], 0, 2],
    ["are no more while that one may yet speak", [dead, connecting], 0, 2],
    ["are one more when both are silent", [dead, dead], 0, 3],
    ["are those preferred to the one in use as well", [resumed, steady], 1, 2],
    ["are the preferred one alone when it is in use again", [steady, steady], 0, 1],
  ])("%s", (_, states, current, count) => {
    expect(followedCount(states, current, now, timings)).toBe(count);
  });
});
