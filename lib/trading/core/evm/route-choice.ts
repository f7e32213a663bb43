import { greatest } from "../bigints.ts";
import type { Order } from "../execution.ts";
import { isV2Venue, type Route } from "../intent.ts";

/** The result of a swap by a route. */
export type Candidate = Pick<Route, "venue"> & {
  /** The amount that would arrive, after any tax of the token. */
  amountOut: bigint;
  /** The network fee of the route's transactions, in wei. */
  networkFee: bigint;
};

export type RouteTrade = {
  side: Order["side"];
  amountIn: bigint;
  /** True if the token is shown to users. */
  isListed: boolean;
};

/**
 * Chooses the route that leaves the most after its network fee. The owner of an unlisted token may start to tax it at
 * any time, which only v2 detects. For such tokens v3 must be better by 1 %.
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

/**
 * Computes the amount that a route leaves after fees, in units of the received asset. For a buy, the fee is converted
 * into tokens at the best price.
 */
function worthOf(candidates: readonly Candidate[], { side, amountIn }: RouteTrade) {
  const most = greatest(0n, ...candidates.map(({ amountOut }) => amountOut));
  return ({ amountOut, networkFee }: Candidate): bigint =>
    amountOut - (side === "sell" ? networkFee : (networkFee * most) / amountIn);
}
