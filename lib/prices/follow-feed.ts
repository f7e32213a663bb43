import { backoff } from "./backoff.ts";
import { converse, type OpenSocket } from "./converse.ts";
import { dialogue, type Ear } from "./dialogue.ts";
import type { FeedReport } from "./feed-report.ts";
import { type FeedState, followedFrom, heard, withoutAsset } from "./feed-state.ts";
import type { PriceFeed } from "./feeds.ts";
import { pause } from "./pause.ts";
import type { Timings } from "./timings.ts";
import { venues } from "./venues.ts";

export type FollowOptions = { open: OpenSocket; report: FeedReport; timings: Timings };

export type FollowedFeed = {
  readonly state: FeedState;
  /** Resolves when the connection is closed. */
  stop(): Promise<void>;
};

/** Listens to a feed until it is stopped. Whatever happens to a connection, it is counted, and another is made. */
export function followFeed(feed: PriceFeed, { open, report, timings }: FollowOptions): FollowedFeed {
  const stopped = new AbortController();
  let state = followedFrom(Date.now());
  const ear: Ear = {
    price(told) {
      state = heard(state, told, Date.now(), timings);
    },
    absent({ asset, product, reason }) {
      state = withoutAsset(state, asset);
      report.absent(feed.source, product, reason);
    },
    fault: (what) => report.fault(feed.source, what),
  };
  const ended = stayConnected(feed, ear, { open, signal: stopped.signal, timings });
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
  ear: Ear,
  { open, signal, timings }: { open: OpenSocket; signal: AbortSignal; timings: Timings },
): Promise<void> {
  const refused = new Set<string>();
  for (let failures = 0; !signal.aborted; ) {
    let spoke = false;
    const talk = dialogue(venues[venue], refused, {
      ...ear,
      price(told) {
        spoke = true;
        ear.price(told);
      },
    });
    const ending = await converse(url, { talk, open, signal, timings });
    if (signal.aborted) return;
    ear.fault(ending);
    failures = spoke ? 1 : failures + 1;
    await pause(backoff(failures, timings.reconnect, Math.random()), signal);
  }
}
