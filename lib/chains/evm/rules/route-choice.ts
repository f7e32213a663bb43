import type { Wei } from "../../../core/units.ts";
import { greatest } from "../../../orders/bigints.ts";
import type { Order } from "../../../orders/execution.ts";
import { type EvmRoute, isSamePool, mostRouters, plainEvmRoute } from "./intent.ts";
import { checksArrival } from "./swap-venues.ts";

/** The result of a swap on a route. */
export type Candidate = Pick<EvmRoute, "venue"> & {
  /** The amount that would arrive, after any tax of the token. */
  amountOut: bigint;
  /** The network fee of the route's transactions. */
  networkFee: Wei;
};

export type RouteTrade = {
  side: Order["side"];
  amountIn: bigint;
  /** True if the token is listed for users. */
  isListed: boolean;
};

/**
 * Chooses the route that leaves the most after its network fee. The owner of an unlisted token may start to tax it at
 * any time, and v3 routers do not detect that. For unlisted tokens, v3 must therefore be better by 1 %.
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
  const safe = bestOf(candidates.filter(checksArrival));
  if (trade.isListed || best === undefined || safe === undefined) return best;
  return (worth(best) - worth(safe)) * 100n >= safe.amountOut ? best : safe;
}

/** Sorts routes so that the best one comes first. */
export function ranked<Each extends Candidate>(candidates: readonly Each[], trade: RouteTrade): Each[] {
  const best = bestRoute(candidates, trade);
  if (best === undefined) return [];
  return [
    best,
    ...ranked(
      candidates.filter((each) => each !== best),
      trade,
    ),
  ];
}

/**
 * Multiple of an order's amount at which pools are compared. The pool that pays most for that larger amount is hard to
 * manipulate.
 */
export const deepTimes = 4n;

/**
 * A route that the intent may include, with the amount that would arrive for {@link deepTimes} times the order's
 * amount.
 */
export type BindableRoute = EvmRoute & Candidate & { deepOut: bigint };

/** True if two routes use the same pool of the token. */
const hasSamePool = (a: EvmRoute, b: EvmRoute): boolean =>
  isSamePool(a, b) && a.bridge?.token === b.bridge?.token;

/**
 * Chooses the routes that an order may use: the best one, then the one that pays most for a larger amount, then the
 * next best, all through different pools of the token. A token's owner can make small pools look best and lower their
 * prices once the order is placed, but can hardly lower the price of a deep pool.
 *
 * @param routes The best first. All others must reach the minimum.
 */
export function routesToBind(
  [best, ...others]: readonly BindableRoute[],
  trade: RouteTrade,
  minAmountOut: bigint,
): EvmRoute[] {
  if (best === undefined) return [];
  const able = others.filter((route) => route.amountOut >= minAmountOut && !hasSamePool(route, best));
  const deepest = bestRoute(
    able.filter(({ deepOut }) => deepOut > 0n).map((route) => ({ ...route, amountOut: route.deepOut })),
    { ...trade, amountIn: deepTimes * trade.amountIn },
  );
  const chosen = deepest === undefined ? [best] : [best, deepest];
  const rest = able.filter((route) => !chosen.some((each) => hasSamePool(each, route)));
  const routers = new Set(chosen.map(({ router }) => router));
  const hasRouter = ({ router }: EvmRoute) =>
    trade.side === "buy" || routers.has(router) || routers.size < mostRouters;
  const next = bestRoute(rest.filter(hasRouter), trade);
  return [...chosen, ...(next === undefined ? [] : [next])].map(plainEvmRoute);
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
