import type { Price } from "../domain/price.ts";
import { chooseFeed, followedCount } from "./choose-feed.ts";
import { isSettled, pricesOf } from "./feed-state.ts";
import type { PriceFeed } from "./feeds.ts";
import { type FollowedFeed, type FollowOptions, followFeed } from "./follow-feed.ts";

/**
 * Follows as many of the feeds as it takes to have prices. What happens in between is looked at when prices are asked for,
 * so they have to be asked for regularly.
 *
 * @param feeds in order of preference, at least one
 */
export function watchFeeds(feeds: readonly PriceFeed[], options: FollowOptions) {
  const { report, timings } = options;
  const followed: FollowedFeed[] = [];
  const leaving: Promise<void>[] = [];
  const sourceOf = (index: number) => feeds[index]?.source ?? "";
  let current = 0;

  function choose(now: number): void {
    const states = followed.map(({ state }) => state);
    const chosen = chooseFeed(states, current, now, timings);
    if (chosen !== current) report.instead(sourceOf(chosen), sourceOf(current));
    current = chosen;
    const count = followedCount(states, current, now, timings);
    for (const feed of feeds.slice(followed.length, count)) followed.push(followFeed(feed, options));
    leaving.push(...followed.splice(count).map((feed) => feed.stop()));
  }

  return {
    /** The prices of the feed in use, all of them from that one; none before it has told those it has. */
    prices(): Price[] {
      const now = Date.now();
      choose(now);
      const state = followed[current]?.state;
      return state !== undefined && isSettled(state, now, timings) ? pricesOf(state, sourceOf(current)) : [];
    },

    /** Resolves when every connection is closed. */
    async stop(): Promise<void> {
      await Promise.all([...leaving, ...followed.map((feed) => feed.stop())]);
    },
  };
}
