import { type FeedState, isSettled, isSilent, isSteady } from "./feed-state.ts";
import type { Timings } from "./timings.ts";

/**
 * Which feed's prices are to be shown, all of them from the one: the feed in use until it is silent, then the first that
 * speaks; and again one that is preferred, when that has spoken steadily.
 *
 * @param states of the feeds that are followed, in order of preference
 * @param current the feed in use, an index into the feeds
 */
export function chooseFeed(
  states: readonly FeedState[],
  current: number,
  now: number,
  timings: Timings,
): number {
  const speaks = (state: FeedState) => !isSilent(state, now, timings) && isSettled(state, now, timings);
  const inUse = states[current];
  const mustChange = inUse === undefined || isSilent(inUse, now, timings);
  const better = states.findIndex(
    (state, index) => speaks(state) && (mustChange || (index < current && isSteady(state, timings))),
  );
  return better === -1 ? current : better;
}

/**
 * How many feeds are to be followed, from the most preferred on: those up to the one in use, which gives them their chance
 * to come back, and one more while all of those are silent.
 */
export function followedCount(
  states: readonly FeedState[],
  current: number,
  now: number,
  timings: Timings,
): number {
  const firstToSpeak = states.findIndex((state) => !isSilent(state, now, timings));
  const silent = firstToSpeak === -1 ? states.length : firstToSpeak;
  return Math.max(current, silent) + 1;
}
