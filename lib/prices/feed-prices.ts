import { isDeepStrictEqual } from "node:util";
import { followFeeds } from "./choose-feed.ts";
import type { OpenSocket } from "./connection.ts";
import { defaultTimings, type Timings } from "./feed-state.ts";
import type { PriceFeed } from "./feeds.ts";
import { type FeedLine, feedReport, pause } from "./follow-feed.ts";
import type { Price } from "./price.ts";

export type FeedRun = {
  /** The feeds in order of preference. */
  feeds: readonly PriceFeed[];
  /** Saves the prices of a round. Returns false if a newer run has taken over, which ends this one. */
  save: (prices: readonly Price[]) => Promise<boolean>;
  /** The run ends after this time unless a newer run takes over. */
  durationMs: number;
  /** Receives problems of a feed. */
  onLine: (line: FeedLine) => void;
  /** Receives each error of `save`. */
  onFault: (error: unknown) => void;
  open?: OpenSocket;
  timings?: Timings;
};

/**
 * Follows the feeds and saves the prices of the one in use, at most once a round, whenever a price or its time has
 * changed. The first save takes over from the previous run, so prices continue without a gap.
 *
 * @returns false if nothing was saved: no feed sent a price, or every save failed.
 */
export async function feedPrices({
  feeds,
  save,
  durationMs,
  onLine,
  onFault,
  open = (url) => new WebSocket(url),
  timings = defaultTimings,
}: FeedRun): Promise<boolean> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), durationMs);
  const report = feedReport(onLine);
  const followed = followFeeds(feeds, { open, report, timings });
  let saved: readonly Price[] = [];
  try {
    while (!over.signal.aborted) {
      const prices = followed.prices();
      if (!isDeepStrictEqual(prices, saved)) {
        try {
          if (!(await save(prices))) return true;
          saved = prices;
        } catch (error) {
          onFault(error);
        }
      }
      await pause(timings.roundMs, over.signal);
    }
  } finally {
    clearTimeout(timer);
    await followed.stop();
    report.end();
  }
  return saved.length > 0;
}
