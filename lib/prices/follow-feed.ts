import {
  type AbsentProduct,
  type FeedFault,
  type FeedListener,
  feedSession,
  type OpenSocket,
  runConnection,
} from "./connection.ts";
import { type FeedState, newFeedState, type Timings, withoutAsset, withQuote } from "./feed-state.ts";
import type { PriceFeed, VenueName } from "./feeds.ts";
import { coinbase } from "./venues/coinbase.ts";
import { kraken } from "./venues/kraken.ts";
import type { Venue } from "./venues/protocol.ts";

const venues: Readonly<Record<VenueName, Venue>> = { coinbase, kraken };

export type FollowOptions = { open: OpenSocket; report: FeedReport; timings: Timings };

export type FollowedFeed = {
  readonly state: FeedState;
  /** Resolves when the connection is closed. */
  stop(): Promise<void>;
};

/** Follows a feed until it is stopped. When a connection ends, counts the fault and connects again. */
export function followFeed(feed: PriceFeed, { open, report, timings }: FollowOptions): FollowedFeed {
  const stopped = new AbortController();
  let state = newFeedState(Date.now());
  const listener: FeedListener = {
    quote(quote) {
      state = withQuote(state, quote, Date.now(), timings);
    },
    absent(product) {
      state = withoutAsset(state, product.asset);
      report.absent(feed.source, product);
    },
    fault: (fault) => report.fault(feed.source, fault),
  };
  const ended = stayConnected(feed, listener, { open, signal: stopped.signal, timings });
  return {
    get state() {
      return state;
    },
    stop() {
      stopped.abort();
      return ended;
    },
  };
}

async function stayConnected(
  { url, venue }: PriceFeed,
  listener: FeedListener,
  { open, signal, timings }: { open: OpenSocket; signal: AbortSignal; timings: Timings },
): Promise<void> {
  const refused = new Set<string>();
  for (let failures = 0; !signal.aborted; ) {
    let quoted = false;
    const session = feedSession(venues[venue], refused, {
      ...listener,
      quote(quote) {
        quoted = true;
        listener.quote(quote);
      },
    });
    const ending = await runConnection(url, { session, open, signal, timings });
    if (signal.aborted) return;
    listener.fault(ending);
    failures = quoted ? 1 : failures + 1;
    await pause(backoffMs(failures, timings.reconnect, Math.random()), signal);
  }
}

/**
 * Computes a random pause before the next attempt. The maximum pause doubles with each failure in a row, so that
 * clients whose connections broke at the same time do not all reconnect at once.
 *
 * @param chance A number from 0 to 1
 */
export function backoffMs(
  failures: number,
  { leastMs, mostMs }: Timings["reconnect"],
  chance: number,
): number {
  const ceilingMs = Math.min(mostMs, leastMs * 2 ** failures);
  return leastMs + chance * (ceilingMs - leastMs);
}

/** Resolves after this time, or as soon as the signal is aborted. */
export function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, durationMs);
    signal.addEventListener("abort", done);
  });
}

/** A line for the log. It contains no text from a venue's message. */
export type FeedLine =
  | { source: string; product: string; reason: AbsentProduct["reason"] }
  | { source: string; insteadOf: string }
  | { source: string; fault: FeedFault; count: number };

export type FeedReport = ReturnType<typeof feedReport>;

/** Logs each problem of a run once. */
export function feedReport(log: (line: FeedLine) => void) {
  const absent = new Set<string>();
  const faults = new Map<string, FeedLine & { count: number }>();
  return {
    absent(source: string, { product, reason }: Pick<AbsentProduct, "product" | "reason">) {
      const key = `${source} ${product}`;
      if (absent.has(key)) return;
      absent.add(key);
      log({ source, product, reason });
    },
    instead: (source: string, insteadOf: string) => log({ source, insteadOf }),
    /** Counts a fault. The counts are logged at the end, because a feed may have many faults a second. */
    fault(source: string, fault: FeedFault) {
      const key = `${source} ${fault}`;
      faults.set(key, { source, fault, count: (faults.get(key)?.count ?? 0) + 1 });
    },
    end() {
      for (const line of faults.values()) log(line);
    },
  };
}
