import { isDeepStrictEqual } from "node:util";
import { ServiceError } from "../core/service-error.ts";
import { followFeeds } from "./choose-feed.ts";
import type { OpenSocket } from "./connection.ts";
import { defaultTimings, type Timings } from "./feed-state.ts";
import type { PriceFeed } from "./feeds.ts";
import { type FeedLine, feedReport, pause } from "./follow-feed.ts";
import type { Price } from "./price.ts";

/** A run's hold on the feed, as recorded in the table. */
export type FeedHold = {
  /** False for a run that replaces its predecessor only with its first save. */
  isHeld: boolean;
  /** Takes the feed again after `leave`. Returns false if another run has taken it. */
  take: () => Promise<boolean>;
  /**
   * Saves prices. Returns false if another run has taken the feed; this run then ends. `keep` does the same with a sign
   * of life instead of prices.
   */
  save: (prices: readonly Price[]) => Promise<boolean>;
  keep: () => Promise<boolean>;
  /** Gives up the feed, so that the next subscriber starts another run. */
  leave: () => Promise<void>;
};

export type FeedOptions = {
  /** Feeds in order of preference. */
  feeds: readonly PriceFeed[];
  hold: FeedHold;
  /** True if anybody subscribes to prices. */
  isWanted: () => Promise<boolean>;
  /** Minimum time between two saves. */
  everyMs: number;
  /** Time after which the run ends unless a newer run takes over before. */
  durationMs: number;
  /** Called with each problem that a feed reports. */
  onLine: (line: FeedLine) => void;
  /** Receives errors. The run continues. */
  onFault: (error: unknown) => void;
  open?: OpenSocket;
  timings?: Timings;
};

/** Time between two signs of life. */
const keepMs = 2000;

/**
 * Time between two checks for subscribers, and how long there may be none before the run ends. The second is longer than
 * a minute, so that creditTrades, which starts a run and comes back a minute later, still finds prices.
 */
const lookMs = 15_000;
const idleMs = 90_000;

/**
 * Pause before the last check for subscribers. It is longer than subscribers remember that a run is alive, so the check
 * finds those that relied on this run and started no other.
 */
const lastLookMs = 2000;

/** Time without a saved price after which the run reports a fault. */
const quietMs = 60_000;

/** Time within which a run must have replaced its predecessor. */
const replacingMs = 30_000;

/**
 * Follows the feeds while anybody subscribes, and saves the prices of the feed in use whenever a price or its time has
 * changed. A run that replaces another one does so with its first save, so prices continue without a gap.
 *
 * @throws {ServiceError} when the run's time is over. By then the run has given up the feed.
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

  /** Saves new prices, or records a sign of life if one is due. Returns false if another run has taken the feed. */
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

  /** Gives up the feed. If somebody subscribed at the last moment, takes it again and returns false. */
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
      // Ends the run after a fault while giving up the feed, so that Lambda starts the run again. Otherwise nobody
      // might notice that no run follows the feeds.
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
