import { isDeepStrictEqual } from "node:util";
import type { Price } from "../domain/price.ts";
import type { OpenSocket } from "./converse.ts";
import { type FeedLine, feedReport } from "./feed-report.ts";
import type { PriceFeed } from "./feeds.ts";
import { pause } from "./pause.ts";
import { type Timings, timings as usual } from "./timings.ts";
import { watchFeeds } from "./watch-feeds.ts";

export type Run = {
  /** In order of preference. */
  feeds: readonly PriceFeed[];
  /** Saves the prices of a round. @returns false when a newer run has taken over, which ends this one. */
  save: (prices: readonly Price[]) => Promise<boolean>;
  /** How long to go on when no newer run takes over, in milliseconds. */
  duration: number;
  /** Hears what is wrong with a feed. */
  onLine: (line: FeedLine) => void;
  /** Hears why prices could not be saved. */
  onFault: (error: unknown) => void;
  open?: OpenSocket;
  timings?: Timings;
};

/**
 * Follows the feeds and saves the prices of the one in use, once a round at most, when one of them or its time has changed.
 * The first save is what takes over from the run before, so that prices go on between the two.
 *
 * @returns false when that was of no use: no feed has told a price, or none could be saved.
 */
export async function feedPrices({ feeds, save, duration, onLine, onFault, ...rest }: Run): Promise<boolean> {
  const { open = (url) => new WebSocket(url), timings = usual } = rest;
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), duration);
  const report = feedReport(onLine);
  const watched = watchFeeds(feeds, { open, report, timings });
  let saved: readonly Price[] = [];
  try {
    while (!over.signal.aborted) {
      const prices = watched.prices();
      if (!isDeepStrictEqual(prices, saved)) {
        try {
          if (!(await save(prices))) return true;
          saved = prices;
        } catch (error) {
          onFault(error);
        }
      }
      await pause(timings.round, over.signal);
    }
  } finally {
    clearTimeout(timer);
    await watched.stop();
    report.end();
  }
  return saved.length > 0;
}
