import { onTestFinished, vi } from "vitest";
import type { Price } from "../../../lib/domain/price.ts";
import { feedPrices } from "../../../lib/prices/feed-prices.ts";
import type { FeedLine } from "../../../lib/prices/feed-report.ts";
import type { PriceFeed } from "../../../lib/prices/feeds.ts";
import type { Timings } from "../../../lib/prices/timings.ts";

/** As in use, in proportion, but quick. */
const quick: Timings = {
  round: 20,
  silence: 1000,
  steady: 500,
  settling: 100,
  reconnect: { least: 20, most: 100 },
  goodbye: 200,
};

/** Runs the feeds over real sockets, until the test is over or the run is superseded. */
export function startRun(feeds: readonly PriceFeed[]) {
  const saves: (readonly Price[])[] = [];
  const lines: FeedLine[] = [];
  let superseded = false;
  const ended = feedPrices({
    feeds,
    async save(prices) {
      if (!superseded) saves.push(prices);
      return !superseded;
    },
    duration: 60_000,
    onLine: (line) => lines.push(line),
    onFault: (error) => lines.push({ source: String(error), fault: "closed", count: 0 }),
    timings: quick,
  });
  const supersede = () => {
    superseded = true;
    return ended;
  };
  onTestFinished(async () => void (await supersede()));

  return {
    saves,
    lines,
    /** The sources of the latest record: one, if all is well. */
    sources: () => [...new Set(saves.at(-1)?.map(({ source }) => source))],
    chains: () => saves.at(-1)?.map(({ chain }) => chain),
    /** Waits until so many more records are saved, and what is expected of them holds. */
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
