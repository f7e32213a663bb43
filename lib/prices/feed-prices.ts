import { isDeepStrictEqual } from "node:util";
import { ServiceError } from "../core/service-error.ts";
import { followFeeds } from "./choose-feed.ts";
import type { OpenSocket } from "./connection.ts";
import { defaultTimings, type Timings } from "./feed-state.ts";
import type { PriceFeed } from "./feeds.ts";
import { type FeedLine, feedReport, pause } from "./follow-feed.ts";
import type { Price } from "./price.ts";

/** A run's hold on the feed, in the table. */
export type FeedHold = {
  /** False for a run that replaces its predecessor with its first save. */
  isHeld: boolean;
  /** Takes the feed again after `leave`. Returns false if another run has it. */
  take: () => Promise<boolean>;
  /**
   * Saves prices. Returns false if another run has the feed, which ends this run. `keep` does the same with a sign of
   * life.
   */
  save: (prices: readonly Price[]) => Promise<boolean>;
  keep: () => Promise<boolean>;
  /** Lets the next subscriber start another run. */
  leave: () => Promise<void>;
};

export type FeedOptions = {
  /** Feeds in order of preference. */
  feeds: readonly PriceFeed[];
  hold: FeedHold;
  /** True if anybody subscribes to prices. */
  isWanted: () => Promise<boolean>;
  /** Shortest time between two saves. */
  everyMs: number;
  /** Time after which the run ends unless a newer run takes over. */
  durationMs: number;
  /** Receives problems of a feed. */
  onLine: (line: FeedLine) => void;
  /** Receives errors. The run goes on. */
  onFault: (error: unknown) => void;
  open?: OpenSocket;
  timings?: Timings;
};

/** Time between two signs of life. */
const keepMs = 2000;

/** Time between two looks for subscribers, and the time without any after which the run ends. */
const lookMs = 15_000;
const idleMs = 60_000;

/**
 * Pause before the last look for subscribers. They remember for less time that a run is alive, so the look finds those
 * that have started no other run.
 */
const lastLookMs = 2000;

/** Time without a saved price after which the run reports a fault. */
const quietMs = 60_000;

/** Time that a run has to replace its predecessor. */
const replacingMs = 30_000;

/**
 * Follows the feeds while anybody subscribes, and saves the prices of the one in use whenever a price or its time has
 * changed. A run that replaces another one does so with its first save, so prices continue without a gap.
 *
 * @throws {ServiceError} if the time is over. The feed is free then.
 */
export async function feedPrices({
  feeds,
  hold,
  isWanted,
  everyMs,
  durationMs,
  onLine,
  onFault,
  open = (url) => new WebSocket(url),
  timings = defaultTimings,
}: FeedOptions): Promise<void> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), durationMs);
  const report = feedReport(onLine);
  const followed = followFeeds(feeds, { open, report, timings });
  const startedMs = Date.now();
  let { isHeld } = hold;
  let saved: readonly Price[] = [];
  let savedMs = Number.NEGATIVE_INFINITY;
  let [keptMs, lookedMs, wantedMs, quietSinceMs] = [startedMs, startedMs, startedMs, startedMs];

  /** Saves new prices, or gives a sign of life if one is due. Returns false if another run has the feed. */
  async function hasFeed(nowMs: number): Promise<boolean> {
    const prices = followed.prices();
    if (prices.length > 0 && nowMs - savedMs >= everyMs && !isDeepStrictEqual(prices, saved)) {
      if (!(await hold.save(prices))) return false;
      isHeld = true;
      saved = prices;
      [savedMs, keptMs, quietSinceMs] = [nowMs, nowMs, nowMs];
    } else if (isHeld && nowMs - keptMs >= keepMs) {
      if (!(await hold.keep())) return false;
      keptMs = nowMs;
    }
    return isHeld || nowMs - startedMs < replacingMs;
  }

  async function isIdle(nowMs: number): Promise<boolean> {
    if (nowMs - lookedMs >= lookMs) {
      if (await isWanted()) wantedMs = nowMs;
      lookedMs = nowMs;
    }
    return isHeld && nowMs - wantedMs >= idleMs;
  }

  /** Leaves the feed. If somebody subscribed at the last moment, takes it again and returns false. */
  async function hasLeft(): Promise<boolean> {
    await hold.leave();
    await pause(lastLookMs, over.signal);
    if (!(await isWanted()) || !(await hold.take())) return true;
    saved = [];
    [keptMs, wantedMs] = [Date.now(), Date.now()];
    return false;
  }

  try {
    for (; !over.signal.aborted; await pause(timings.roundMs, over.signal)) {
      const nowMs = Date.now();
      let mayLeave = false;
      try {
        if (!(await hasFeed(nowMs))) return;
        mayLeave = await isIdle(nowMs);
      } catch (error) {
        onFault(error);
      }
      // Ends the run after a fault here, so that Lambda starts it again: nothing else may notice that the feed has no
      // run.
      if (mayLeave && (await hasLeft())) return;
      if (nowMs - quietSinceMs >= quietMs) {
        onFault(new ServiceError("No new price was saved for a minute", { code: "NO_PRICES" }));
        quietSinceMs = nowMs;
      }
    }
  } finally {
    clearTimeout(timer);
    await followed.stop();
    report.end();
  }
  if (!isHeld) return;
  await hold.leave();
  throw new ServiceError("No other run has replaced this one in time", { code: "NOT_REPLACED" });
}
