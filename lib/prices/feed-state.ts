import { networks } from "../domain/network.ts";
import { type Asset, nativeAssets, type Price } from "../domain/price.ts";

/** A price as it came from a venue. `asOf` is the venue's own time, if the message had one. */
export type Quote = { asset: Asset; price: string; asOf: Date | undefined };

/** How long the feeds wait. */
export type Timings = {
  /** Between two looks at the feeds, and so the least time between two records. */
  roundMs: number;
  /** Without a price: until the next feed is tried. Without any message: until the connection counts as dead. */
  silenceMs: number;
  /** How long a preferred feed must quote without a silence before it is used again. */
  steadyMs: number;
  /** How long a feed has, after its first price, to send the others. */
  settlingMs: number;
  /** The limits of the pause before a connection is tried again. The lower one respects every venue's rate limit. */
  reconnect: { leastMs: number; mostMs: number };
  /** How long a venue has to answer the closing of a connection. */
  closingMs: number;
};

export const defaultTimings: Timings = {
  roundMs: 1000,
  silenceMs: 5000,
  steadyMs: 5000,
  settlingMs: 2000,
  reconnect: { leastMs: 500, mostMs: 30_000 },
  closingMs: 1000,
};

/** A followed feed. */
export type FeedState = {
  followedSinceMs: number;
  /** The latest price of each asset. `asOf` is ISO 8601 in UTC, with milliseconds. */
  latest: Partial<Record<Asset, { price: string; asOf: string }>>;
  /** Assets that the venue has no price for, as far as is known. */
  absent: readonly Asset[];
  firstQuoteAtMs: number | undefined;
  /** Since when quotes have come without a silence between them. */
  quotingSinceMs: number | undefined;
  lastQuoteAtMs: number | undefined;
};

export const newFeedState = (nowMs: number): FeedState => ({
  followedSinceMs: nowMs,
  latest: {},
  absent: [],
  firstQuoteAtMs: undefined,
  quotingSinceMs: undefined,
  lastQuoteAtMs: undefined,
});

/**
 * Adds a quote, unless it is older than the one held. A time in the future counts as now: with a venue's clock ahead of
 * ours, no later quote would be newer.
 */
export function withQuote(
  state: FeedState,
  { asset, price, asOf }: Quote,
  nowMs: number,
  { silenceMs }: Pick<Timings, "silenceMs">,
): FeedState {
  const quotedAt = new Date(Math.min(asOf?.getTime() ?? nowMs, nowMs)).toISOString();
  const held = state.latest[asset];
  if (held !== undefined && quotedAt < held.asOf) return state;
  return {
    ...state,
    latest: { ...state.latest, [asset]: { price, asOf: quotedAt } },
    absent: state.absent.filter((other) => other !== asset),
    firstQuoteAtMs: state.firstQuoteAtMs ?? nowMs,
    quotingSinceMs: isSilent(state, nowMs, { silenceMs }) ? nowMs : (state.quotingSinceMs ?? nowMs),
    lastQuoteAtMs: nowMs,
  };
}

export const withoutAsset = (state: FeedState, asset: Asset): FeedState => ({
  ...state,
  absent: [...new Set([...state.absent, asset])],
});

/** Whether the feed has sent no quote for too long, the time since it was first followed included. */
export const isSilent = (
  state: FeedState,
  nowMs: number,
  { silenceMs }: Pick<Timings, "silenceMs">,
): boolean => nowMs - (state.lastQuoteAtMs ?? state.followedSinceMs) >= silenceMs;

/** Whether the prices are complete: there is one of every asset that is not absent, or the time for the rest is over. */
export function isSettled(
  { latest, absent, firstQuoteAtMs }: FeedState,
  nowMs: number,
  { settlingMs }: Timings,
) {
  if (firstQuoteAtMs === undefined) return false;
  const complete = Object.values(nativeAssets).every((asset) => latest[asset] || absent.includes(asset));
  return complete || nowMs - firstQuoteAtMs >= settlingMs;
}

/** Whether quotes have come without a silence for long enough. */
export const isSteady = ({ quotingSinceMs, lastQuoteAtMs }: FeedState, { steadyMs }: Timings): boolean =>
  quotingSinceMs !== undefined && lastQuoteAtMs !== undefined && lastQuoteAtMs - quotingSinceMs >= steadyMs;

/** The known prices of the chains' native assets, in the order of the networks. */
export const pricesOf = ({ latest }: FeedState, source: string): Price[] =>
  networks.flatMap((chain) => {
    const symbol = nativeAssets[chain];
    const quote = latest[symbol];
    return quote === undefined ? [] : [{ chain, symbol, currency: "USD", source, ...quote }];
  });
