import { type TestContext, vi } from "vitest";
import { feedPrices } from "../../../lib/prices/feed-prices.ts";
import type { Timings } from "../../../lib/prices/feed-state.ts";
import type { PriceFeed } from "../../../lib/prices/feeds.ts";
import type { FeedLine } from "../../../lib/prices/follow-feed.ts";
import type { Price } from "../../../lib/prices/price.ts";

/** Short times, except for silences: a machine that is busy with other tests must not make a venue look silent. */
const quick: Timings = {
  roundMs: 20,
  silenceMs: 3000,
  steadyMs: 500,
  settlingMs: 100,
  reconnect: { leastMs: 20, mostMs: 100 },
  closingMs: 200,
};

/** Runs the feeds over real sockets until the test ends or `supersede` is called. */
export function startRun(test: TestContext, feeds: readonly PriceFeed[]) {
  const saves: (readonly Price[])[] = [];
  const lines: FeedLine[] = [];
  let superseded = false;
  const ended = feedPrices({
    feeds,
    hold: {
      isHeld: true,
      take: async () => !superseded,
      keep: async () => !superseded,
      leave: async () => {},
      async save(prices) {
        if (!superseded) saves.push(prices);
        return !superseded;
      },
    },
    isWanted: async () => true,
    everyMs: 0,
    durationMs: 60_000,
    onLine: (line) => lines.push(line),
    onFault: (error) => lines.push({ source: String(error), fault: "closed", count: 0 }),
    timings: quick,
  });
  const supersede = () => {
    superseded = true;
    return ended;
  };
  test.onTestFinished(async () => void (await supersede()));

  return {
    saves,
    lines,
    /** Returns the source of the latest record. Throws if it has several sources. */
    sources: () => [...new Set(saves.at(-1)?.map(({ source }) => source))],
    chains: () => saves.at(-1)?.map(({ chain }) => chain),
    /** Waits until this many more records are saved and the expectation is met. */
    async until(expectation: () => void, records = 3) {
      const before = saves.length;
      await vi.waitFor(
        () => {
          if (saves.length < before + records) throw new Error("Not enough records are saved");
          expectation();
        },
        { timeout: 20_000, interval: 10 },
      );
    },
    supersede,
  };
}
