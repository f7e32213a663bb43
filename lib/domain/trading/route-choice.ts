import type { Order } from "../execution.ts";
import { greatest } from "./bigints.ts";
import { isV2Venue, type Route } from "./intent.ts";

/** What comes of a swap by a route. */
export type Candidate = Route & {
  /** What would arrive, after any tax of the token. */
  amountOut: bigint;
  /** Wei for the transactions that the route needs. */
  networkFee: bigint;
};

export type RouteTrade = {
  side: Order["side"];
  amountIn: bigint;
  /** Whether users are shown the token. */
  isListed: boolean;
};

/**
 * The route that leaves the most after its network fee. Whoever owns a strange token may tax it at any time, and only v2
 * notices, so that v3 has to be better by 1 % there.
 */
export function bestRoute<Each extends Candidate>(
  candidates: readonly Each[],
  trade: RouteTrade,
): Each | undefined {
  const worth = worthOf(candidates, trade);
  const bestOf = (some: readonly Each[]) =>
    some.reduce<Each | undefined>(
      (best, each) => (best !== undefined && worth(best) >= worth(each) ? best : each),
      undefined,
    );
  const best = bestOf(candidates);
  const safe = bestOf(candidates.filter(isV2Venue));
  if (trade.isListed || best === undefined || safe === undefined) return best;
  return (worth(best) - worth(safe)) * 100n >= safe.amountOut ? best : safe;
}

/** What a route leaves, in units of what arrives. For a buy, the fee is turned into tokens at the best price. */
function worthOf(candidates: readonly Candidate[], { side, amountIn }: RouteTrade) {
  const most = greatest(0n, ...candidates.map(({ amountOut }) => amountOut));
  return ({ amountOut, networkFee }: Candidate): bigint =>
    amountOut - (side === "sell" ? networkFee : (networkFee * most) / amountIn);
}
