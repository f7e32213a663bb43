import { networks } from "../core/network.ts";
import { type Asset, nativeAssets, type Price } from "./price.ts";

/** A venue's price. `asOf` is the venue's own time for the price, if the message contained one. */
export type Quote = { asset: Asset; price: string; asOf: Date | undefined };

/** Time limits of the feeds. */
export type Timings = {
  /** Time between two checks of the feeds, and therefore the minimum time between two records. */
  roundMs: number;
  /**
   * Maximum silence of a feed. If no price comes for this long, the next feed is tried. If no message comes at all, the
   * connection counts as dead.
   */
  silenceMs: number;
  /** Time for which a preferred feed must send prices without a silence before it is used again. */
  steadyMs: number;
  /** Time that a feed has, after its first price, to send the prices of the other assets. */
  settlingMs: number;
  /** Limits of the pause before a connection is tried again. The lower limit respects every venue's rate limit. */
  reconnect: { leastMs: number; mostMs: number };
  /** Maximum time to wait for a venue to confirm that a connection is closed. */
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
  /** Latest price of each asset. `asOf` is ISO 8601 in UTC, with milliseconds. */
  latest: Partial<Record<Asset, { price: string; asOf: string }>>;
  /** Assets for which the venue is known to have no price. */
  absent: readonly Asset[];
  firstQuoteAtMs: number | undefined;
  /** Start of the current series of prices without a silence. */
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
 * Adds a price, unless it is older than the current one. A time in the future counts as now. Otherwise, if a venue's
 * clock was once ahead, its later prices would not count as newer.
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

/** True if the feed has sent no price for too long, counted from when it was first followed. */
export const isSilent = (
  state: FeedState,
  nowMs: number,
  { silenceMs }: Pick<Timings, "silenceMs">,
): boolean => nowMs - (state.lastQuoteAtMs ?? state.followedSinceMs) >= silenceMs;

/**
 * True if the prices are complete: each asset has a price or is known to have none, or the time for the missing prices
 * is over.
 */
export function isSettled(
  { latest, absent, firstQuoteAtMs }: FeedState,
  nowMs: number,
  { settlingMs }: Timings,
) {
  if (firstQuoteAtMs === undefined) return false;
  const complete = Object.values(nativeAssets).every((asset) => latest[asset] || absent.includes(asset));
  return complete || nowMs - firstQuoteAtMs >= settlingMs;
}

/** True if prices have come for long enough without a silence. */
export const isSteady = ({ quotingSinceMs, lastQuoteAtMs }: FeedState, { steadyMs }: Timings): boolean =>
  quotingSinceMs !== undefined && lastQuoteAtMs !== undefined && lastQuoteAtMs - quotingSinceMs >= steadyMs;

/** Lists the known prices of the chains' native assets, in the order of the networks. */
export const pricesOf = ({ latest }: FeedState, source: string): Price[] =>
  networks.flatMap((chain) => {
    const symbol = nativeAssets[chain];
    const quote = latest[symbol];
    return quote === undefined ? [] : [{ chain, symbol, currency: "USD", source, ...quote }];
  });
