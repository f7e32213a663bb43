import type { Order } from "../../../orders/execution.ts";
import { nativeToken } from "../../../orders/trading-chain.ts";
import { type EvmRoute, type PoolKey, poolsOf } from "./intent.ts";

/** A pool on the route of a trade. Tokens are addresses, or `native`. */
export type EvmRouteStep = PoolKey & { pool: string; tokenIn: string; tokenOut: string };

/**
 * Describes a route, in the order of the trade.
 *
 * @param addresses The addresses of the route's pools, from the coin to the token.
 */
export function evmRouteSteps(
  { side, token }: Pick<Order, "side"> & { token: string },
  route: EvmRoute,
  addresses: readonly string[],
): EvmRouteStep[] {
  const pools = poolsOf(route);
  const tokens = [nativeToken, ...(route.bridge ? [route.bridge.token] : []), token];
  const steps = pools.map(({ venue, feeBps }, index): EvmRouteStep => {
    const [near = "", far = ""] = tokens.slice(index);
    const [tokenIn, tokenOut] = side === "buy" ? [near, far] : [far, near];
    return { venue, pool: addresses[index] ?? "", feeBps, tokenIn, tokenOut };
  });
  return side === "buy" ? steps : steps.reverse();
}
