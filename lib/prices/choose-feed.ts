import { type FeedState, isSettled, isSilent, isSteady, pricesOf, type Timings } from "./feed-state.ts";
import type { PriceFeed } from "./feeds.ts";
import { type FollowedFeed, type FollowOptions, followFeed } from "./follow-feed.ts";
import type { Price } from "./price.ts";

/**
 * Follows as many feeds as are needed to have prices. Each call of `prices` chooses the feed again, so `prices` must be
 * called regularly.
 *
 * @param feeds At least one feed, in order of preference
 */
export function followFeeds(feeds: readonly PriceFeed[], options: FollowOptions) {
  const { report, timings } = options;
  const followed: FollowedFeed[] = [];
  const leaving: Promise<void>[] = [];
  const sourceOf = (index: number) => feeds[index]?.source ?? "";
  let current = 0;

  function choose(nowMs: number): void {
    const states = followed.map(({ state }) => state);
    const chosen = chooseFeed(states, current, nowMs, timings);
    if (chosen !== current) report.instead(sourceOf(chosen), sourceOf(current));
    current = chosen;
    const count = followedCount(states, current, nowMs, timings);
    for (const feed of feeds.slice(followed.length, count)) followed.push(followFeed(feed, options));
    leaving.push(...followed.splice(count).map((feed) => feed.stop()));
  }

  return {
    /**
     * Returns the prices of the feed in use, never mixed with those of other feeds. Empty until that feed's prices are
     * settled.
     */
    prices(): Price[] {
      const nowMs = Date.now();
      choose(nowMs);
      const state = followed[current]?.state;
      return state !== undefined && isSettled(state, nowMs, timings)
        ? pricesOf(state, sourceOf(current))
        : [];
    },

    /** Resolves when every connection is closed. */
    async stop(): Promise<void> {
      await Promise.all([...leaving, ...followed.map((feed) => feed.stop())]);
    },
  };
}

/**
 * Chooses the feed to use: the current one until it falls silent, then the first feed that has prices. A preferred feed
 * is used again once it has sent prices steadily.
 *
 * @param states The followed feeds, in order of preference
 * @param current The index of the feed in use
 * @returns the index of the chosen feed
 */
export function chooseFeed(
  states: readonly FeedState[],
  current: number,
  nowMs: number,
  timings: Timings,
): number {
  const isUsable = (state: FeedState) => !isSilent(state, nowMs, timings) && isSettled(state, nowMs, timings);
  const inUse = states[current];
  const mustChange = inUse === undefined || isSilent(inUse, nowMs, timings);
  const better = states.findIndex(
    (state, index) => isUsable(state) && (mustChange || (index < current && isSteady(state, timings))),
  );
  return better === -1 ? current : better;
}

/**
 * Decides how many feeds to follow, in order of preference. Follows all feeds up to the one in use, so that a preferred
 * feed can be used again, and one more while all of them are silent.
 */
export function followedCount(
  states: readonly FeedState[],
  current: number,
  nowMs: number,
  timings: Timings,
): number {
  const firstToQuote = states.findIndex((state) => !isSilent(state, nowMs, timings));
  const silent = firstToQuote === -1 ? states.length : firstToQuote;
  return Math.max(current, silent) + 1;
}
