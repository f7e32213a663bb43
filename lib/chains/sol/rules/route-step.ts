import type { Order } from "../../../orders/execution.ts";
import { nativeToken } from "../../../orders/trading-chain.ts";
import type { SolRoute } from "./intent.ts";

/**
 * The only step of a route on Solana. A step through Jupiter names no pool, because Jupiter chooses the pools itself.
 */
export type SolRouteStep = {
  venue: SolRoute["venue"];
  pool?: string;
  feeBps?: number;
  tokenIn: string;
  tokenOut: string;
};

/** @param feeBps The fee of the route's pool. */
export function solRouteStep(
  { side, token }: Pick<Order, "side"> & { token: string },
  route: SolRoute,
  feeBps: number | undefined,
): SolRouteStep {
  const { venue } = route;
  const [tokenIn, tokenOut] = side === "buy" ? [nativeToken, token] : [token, nativeToken];
  if (venue === "jupiter-metis") return { venue, tokenIn, tokenOut };
  return { venue, pool: route.pool, ...(feeBps !== undefined && { feeBps }), tokenIn, tokenOut };
}
