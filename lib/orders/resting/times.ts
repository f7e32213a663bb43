import { chainFacts } from "../../core/chain-facts.ts";
import type { Network } from "../../core/network.ts";
import { clocksApartMs } from "../intent.ts";
import type { Leg } from "./mandate.ts";

/** Times of resting orders that do not depend on the chain, and that no run shortens. */
const limits = {
  /** Longest time from the placing of a child to the end of its order. */
  childSeconds: 60,
  /** How far clocks of different functions may be apart. */
  clockMs: clocksApartMs,
  /** Allowance for the time between the lane's clock and the signer's. */
  signingSeconds: 2,
  /** Longest gap between two readings on sol that belong together. A slow watch must still fire stops. */
  readingGapMs: 15_000,
} as const;

/** All waits of resting orders that do not depend on the chain. */
const waits = (share: number) => ({
  /** Time back from the head over which a price must have held, on chains with short blocks. */
  lookBackSeconds: 8 * share,
  /** Time back from the head at which a limit paired with a stop must have been reached, too. */
  beforeSeconds: 2 * share,
  /** First and longest pause of a leg after a dead child. */
  firstPauseMs: 5000 * share,
  longestPauseMs: { limit: 300_000 * share, stop: 60_000 * share },
  /** Time without a firing after which a leg's pauses begin again. */
  forgetMs: 3_600_000 * share,
  /** First and longest pause before an order whose price is reached, but that does not fire, is handed over again. */
  handOverMs: { first: 3000 * share, most: 300_000 * share },
  /**
   * Shortest time between two rises of a mark, and the longest pause before a price above the mark is looked at again.
   */
  markMs: { first: 15_000 * share, most: 60_000 * share },
  /** Shortest time for which an attention code stays unchanged. */
  attentionMs: 60_000 * share,
  /** Time after which an order is looked at again, by its state. */
  againMs: {
    reading: 2500 * share,
    firing: 2000 * share,
    settling: { first: 2000 * share, most: 60_000 * share },
    done: 300_000 * share,
  },
});

export const triggerTimes = { ...limits, ...waits(1) };

/** Divides all waits by ten. Only for local chains, because a short push of the price then fires a stop. */
export const shortenWaits = () => void Object.assign(triggerTimes, waits(0.1));

/** Time from the first signature of a child's swap to its deadline where blocks are short, in seconds. */
export const usualLifeSeconds = 8;

/** Children of limits live shorter, because limits fire again, and stops wait for them. A slice is signed only once. */
const ethLifeSeconds: Readonly<Record<Leg["kind"], number>> = {
  limit: 13,
  gain: 13,
  slice: 24,
  stop: 24,
  trailing: 24,
  loss: 24,
};

/** Returns the time from the first signature of a child's swap to its deadline. */
export const lifeSeconds = (chain: Network, { kind }: Pick<Leg, "kind">): number =>
  chain === "eth" ? ethLifeSeconds[kind] : usualLifeSeconds;

/** Returns the age from which the head of a chain is too old for anything to fire. */
export const mostHeadSeconds = (chain: Network): number => Math.max(15, 3 * chainFacts[chain].blockSeconds);

export const blocksWithin = (chain: Network, seconds: number): number =>
  Math.max(1, Math.ceil(seconds / chainFacts[chain].blockSeconds));
