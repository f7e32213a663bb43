import { networks } from "../domain/network.ts";
import { type Asset, nativeAssets, type Price } from "../domain/price.ts";
import type { Timings } from "./timings.ts";

/** A price as a venue has told it. `asOf` is ISO 8601 in UTC with milliseconds. */
export type Quote = { price: string; asOf: string };

/** What is known of a feed that is followed. Times are in milliseconds since the epoch. */
export type FeedState = {
  followedSince: number;
  quotes: Partial<Record<Asset, Quote>>;
  /** Assets of which the venue tells no price, as far as is known. */
  absent: readonly Asset[];
  firstPriceAt: number | undefined;
  /** Since when prices have come without a silence between them. */
  speakingSince: number | undefined;
  lastPriceAt: number | undefined;
};

export const followedFrom = (now: number): FeedState => ({
  followedSince: now,
  quotes: {},
  absent: [],
  firstPriceAt: undefined,
  speakingSince: undefined,
  lastPriceAt: undefined,
});

/**
 * The state after a price was heard. One that is older than the price held changes nothing. A venue whose clock is ahead
 * is believed no later time than now, for else nothing that it says afterwards would be newer.
 */
export function heard(
  state: FeedState,
  { asset, price, asOf }: { asset: Asset; price: string; asOf: Date | undefined },
  now: number,
  { silence }: Timings,
): FeedState {
  const told = new Date(Math.min(asOf?.getTime() ?? now, now)).toISOString();
  const held = state.quotes[asset];
  if (held !== undefined && told < held.asOf) return state;
  return {
    ...state,
    quotes: { ...state.quotes, [asset]: { price, asOf: told } },
    absent: state.absent.filter((other) => other !== asset),
    firstPriceAt: state.firstPriceAt ?? now,
    speakingSince: isSilent(state, now, { silence }) ? now : (state.speakingSince ?? now),
    lastPriceAt: now,
  };
}

export const withoutAsset = (state: FeedState, asset: Asset): FeedState => ({
  ...state,
  absent: [...new Set([...state.absent, asset])],
});

/** Whether it has told no price for too long, or none yet although it has had the time. */
export const isSilent = (state: FeedState, now: number, { silence }: Pick<Timings, "silence">): boolean =>
  now - (state.lastPriceAt ?? state.followedSince) >= silence;

/** Whether its prices are a set to be shown: all that it has to tell, or those that came while it had the time. */
export function isSettled({ quotes, absent, firstPriceAt }: FeedState, now: number, { settling }: Timings) {
  if (firstPriceAt === undefined) return false;
  const complete = Object.values(nativeAssets).every((asset) => quotes[asset] || absent.includes(asset));
  return complete || now - firstPriceAt >= settling;
}

/** Whether its prices have come without a silence for long enough. */
export const isSteady = ({ speakingSince, lastPriceAt }: FeedState, { steady }: Timings): boolean =>
  speakingSince !== undefined && lastPriceAt !== undefined && lastPriceAt - speakingSince >= steady;

/** The price of each chain's asset, as far as it is known, in the order of the networks. */
export const pricesOf = ({ quotes }: FeedState, source: string): Price[] =>
  networks.flatMap((chain) => {
    const symbol = nativeAssets[chain];
    const quote = quotes[symbol];
    return quote === undefined ? [] : [{ chain, symbol, currency: "USD", source, ...quote }];
  });
