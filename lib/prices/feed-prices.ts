import { isDeepStrictEqual } from "node:util";
import { ServiceError } from "../core/service-error.ts";
import { followFeeds } from "./choose-feed.ts";
import type { OpenSocket } from "./connection.ts";
import { defaultTimings, type Timings } from "./feed-state.ts";
import type { PriceFeed } from "./feeds.ts";
import { type FeedLine, feedReport, pause } from "./follow-feed.ts";
import type { Price } from "./price.ts";

/** The run's hold on the feed, in the table. */
export type FeedHold = {
  /** False for a run whose first save replaces its predecessor. */
  isHeld: boolean;
  /** Takes the feed again after `leave`. Returns false if another run has it. */
  take: () => Promise<boolean>;
  /** Saves prices, or gives a sign of life. Each returns false if another run has the feed, which ends this one. */
  save: (prices: readonly Price[]) => Promise<boolean>;
  keep: () => Promise<boolean>;
  /** Lets the next subscriber start another run. */
  leave: () => Promise<void>;
};

export type FeedOptions = {
  /** The feeds in order of preference. */
  feeds: readonly PriceFeed[];
  hold: FeedHold;
  /** True if anybody subscribes to prices. */
  isWanted: () => Promise<boolean>;
  /** The shortest time between two saves. */
  everyMs: number;
  /** The run ends after this time unless a newer run takes over. */
  durationMs: number;
  /** Receives problems of a feed. */
  onLine: (line: FeedLine) => void;
  /** Receives errors. The run goes on. */
  onFault: (error: unknown) => void;
  open?: OpenSocket;
  timings?: Timings;
};

/** The time between two signs of life. */
const keepMs = 2000;

/** The time between two looks for subscribers, and the time without any after which the run ends. */
const lookMs = 15_000;
const idleMs = 60_000;

/**
 * The pause before the last look. It is longer than subscribers remember that a run is alive, so it finds those that have
 * started no other run.
 */
const lastLookMs = 2000;

/** The time without a saved price after which the run reports a fault. */
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

  /** Saves or keeps what is due. Returns false if another run has the feed. */
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

  /** Leaves the feed. Returns false if somebody subscribed at the last moment, and this run has the feed again. */
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
      // A fault here ends the run, and Lambda starts it again: nobody else may know that the feed has no run.
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
