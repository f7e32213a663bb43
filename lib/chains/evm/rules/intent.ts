import { isDeepStrictEqual } from "node:util";
import type * as v from "valibot";
import type { Order } from "../../../orders/execution.ts";
import type { LaneKey } from "../../../orders/intent.ts";
import type { approveCall, bridge, evmFees, evmIntent, evmRoute, poolKey, swapCall } from "./schemas.ts";
import { kindOf } from "./swap-venues.ts";

/** Maximum distance between an order's nonces and the wallet's next nonce at the time of placing. */
export const mostNoncesAhead = 20;

/**
 * The limits of an order on an EVM chain: it may use one to {@link mostEvmRoutes} routes through at most {@link
 * mostRouters} routers, and only nonces near its first one (see {@link mostNoncesAhead}).
 */
export type EvmIntent = v.InferOutput<typeof evmIntent>;

/** A pool, identified among all pools of the same two tokens. */
export type PoolKey = v.InferOutput<typeof poolKey>;

export const isSamePool = (a: PoolKey, b: PoolKey): boolean =>
  a.venue === b.venue && a.feeBps === b.feeBps && a.spacing === b.spacing;

/** The pool that trades a quote token for the coin. */
export type Bridge = v.InferOutput<typeof bridge>;

/**
 * The path of a swap through one router: the token's own pool and, if that pool trades a quote token, the bridge from
 * the quote token to the coin.
 */
export type EvmRoute = v.InferOutput<typeof evmRoute>;

/** Returns the pool on a route that takes or pays the coin. */
export const coinPoolOf = (route: EvmRoute): PoolKey => route.bridge ?? route;

/** Lists the pools of a route, from the coin to the token. */
export const poolsOf = (route: EvmRoute): PoolKey[] => (route.bridge ? [route.bridge, route] : [route]);

/**
 * Maximum number of routes of an order. More routes would help few orders, and would let a token's owner change the
 * prices of more pools.
 */
export const mostEvmRoutes = 3;

/** Maximum number of approvals that an order may make. It needs two if the allowance must first be set to 0. */
export const mostApprovals = 2;

/**
 * Maximum number of routers that an order may use. Each one needs an approval, and {@link mostApprovals} limits those.
 */
export const mostRouters = 2;

/** A swap as its calldata encodes it. */
export type SwapCall = v.InferOutput<typeof swapCall>;

/** An approval: it lets the router take tokens from the wallet. */
export type ApproveCall = v.InferOutput<typeof approveCall>;

/** Sends an empty transaction from the wallet to itself, to use up a nonce. */
export type ClearCall = { purpose: "clear" };

export type EvmCall = SwapCall | ApproveCall | ClearCall;

export type EvmFees = v.InferOutput<typeof evmFees>;

export type UnsignedEvmTransaction = LaneKey & EvmFees & { nonce: number; call: EvmCall; gasLimit: bigint };

/** Returns a route without further facts about it. */
export const plainEvmRoute = ({ venue, feeBps, spacing, router, bridge }: EvmRoute): EvmRoute => ({
  venue,
  feeBps,
  ...(spacing !== undefined && { spacing }),
  router,
  ...(bridge && { bridge }),
});

export const isSameEvmRoute = (a: EvmRoute, b: EvmRoute): boolean =>
  isDeepStrictEqual(plainEvmRoute(a), plainEvmRoute(b));

/** True if an order may use this route. */
export const allowsRoute = ({ routes }: Pick<EvmIntent, "routes">, route: EvmRoute): boolean =>
  routes.some((each) => isSameEvmRoute(each, route));

/** True if a swap could leave coin in the router. */
export const needsRefund = (side: Order["side"], route: EvmRoute): boolean =>
  side === "buy" && ["v3", "slipstream"].includes(kindOf(coinPoolOf(route)));

/**
 * Makes the only swap that the intent allows on this route. Execution may lower the amount to the wallet's balance.
 *
 * @param deadline The first signature fixes the deadline of a child. That of other orders is known when they are placed.
 */
export const swapBy = (
  intent: EvmIntent,
  route: EvmRoute,
  amountIn: bigint,
  deadline = intent.validUntil,
): SwapCall => ({
  purpose: "swap",
  ...plainEvmRoute(route),
  side: intent.side,
  token: intent.token,
  recipient: intent.wallet,
  value: intent.side === "buy" ? amountIn : 0n,
  amountIn,
  minAmountOut: intent.minAmountOut,
  deadline,
  hasRefund: needsRefund(intent.side, route),
});

/** True if two calls have the same calldata. */
export const isSameCall = (a: EvmCall, b: EvmCall): boolean => isDeepStrictEqual(a, b);
