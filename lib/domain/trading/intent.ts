import type { Order } from "../execution.ts";
import type { Network } from "../network.ts";

/** A wallet on one chain. Its nonces are one sequence, whoever holds the key. */
export type LaneKey = { chain: Network; wallet: string };

/** Venues whose pools follow Uniswap v2, with one fee for all of their pools. */
export const v2Venues = ["uniswap-v2", "pancakeswap-v2"] as const;

/** Venues whose pools follow Uniswap v3, one for each fee. */
export const v3Venues = ["uniswap-v3"] as const;

export const isV2Venue = ({ venue }: { venue: SwapVenue }): boolean =>
  v2Venues.some((each) => each === venue);

export type V2Venue = (typeof v2Venues)[number];
export type V3Venue = (typeof v3Venues)[number];

/** An exchange with pools and a router of its own. */
export type SwapVenue = V2Venue | V3Venue;

/**
 * What an order may do, fixed when it is placed. Only the function that places orders can make the MAC over it, so that
 * the signer can trust it. Nobody lowers the minimum afterwards.
 */
export type Intent = LaneKey & {
  orderId: string;
  userID: string;
  side: Order["side"];
  /** The traded token. The other side is always the chain's own coin. */
  token: string;
  /** The most that may be spent: coin of a buy, tokens of a sale. In units, like all amounts of this folder. */
  amount: bigint;
  /** The least that may arrive. */
  minAmountOut: bigint;
  venues: readonly SwapVenue[];
  /**
   * Of a purchase by v3: the fee of the only v3 pool that it may use. The minimum there is of what the pool sends and not of
   * what arrives, so that another pool of a taxed token could deliver less.
   */
  v3FeeBps?: number;
  gasLimit: bigint;
  /** Wei for a unit of gas. */
  maxGasPrice: bigint;
  gasPreset: "slow" | "medium" | "fast" | "turbo";
  /** Whether its transactions go to a relay, and to nobody else. */
  isPrivate: boolean;
  /** In seconds, by the time of blocks. No later block can fill it. */
  validUntil: number;
};

/** The way that a swap takes. */
export type Route = { venue: SwapVenue; feeBps: number };

/** A swap as its calldata says it. */
export type SwapCall = Route & {
  purpose: "swap";
  side: Order["side"];
  token: string;
  recipient: string;
  /** Native coin sent along. */
  value: bigint;
  amountIn: bigint;
  minAmountOut: bigint;
  deadline: number;
  /** Whether it takes back coin that the pool had no use for. On v3 the router keeps it otherwise, for anyone to take. */
  hasRefund: boolean;
};

/** Lets the venue's router take tokens of the wallet. */
export type ApproveCall = { purpose: "approve"; token: string; venue: SwapVenue; amount: bigint };

/** Sends nothing to the wallet itself, to use up a nonce. */
export type ClearCall = { purpose: "clear" };

export type Call = SwapCall | ApproveCall | ClearCall;

/** In wei for a unit of gas. */
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };

export type UnsignedTransaction = LaneKey & Fees & { nonce: number; call: Call; gasLimit: bigint };

/** Whether an order may take this route. */
export const allowsRoute = ({ side, venues, v3FeeBps }: Intent, { venue, feeBps }: Route): boolean =>
  venues.includes(venue) && (side === "sell" || isV2Venue({ venue }) || feeBps === v3FeeBps);

/**
 * What an order may use of a chain's venues. A purchase may always use v2, which checks what arrives, and v3 only by the
 * pool that it was quoted for.
 */
export function routesFor(
  side: Intent["side"],
  venues: readonly SwapVenue[],
  quoted: Route,
): Pick<Intent, "venues" | "v3FeeBps"> {
  if (side === "sell") return { venues };
  return {
    venues: venues.filter((venue) => isV2Venue({ venue }) || venue === quoted.venue),
    ...(!isV2Venue(quoted) && { v3FeeBps: quoted.feeBps }),
  };
}

/** The only swap that the intent allows by this route. Execution may lower the amount, to what the wallet holds. */
export const swapBy = (intent: Intent, { venue, feeBps }: Route, amountIn: bigint): SwapCall => ({
  purpose: "swap",
  venue,
  feeBps,
  side: intent.side,
  token: intent.token,
  recipient: intent.wallet,
  value: intent.side === "buy" ? amountIn : 0n,
  amountIn,
  minAmountOut: intent.minAmountOut,
  deadline: intent.validUntil,
  hasRefund: intent.side === "buy" && venue === "uniswap-v3",
});

/** Whether two calls have the same calldata. */
export function isSameCall(a: Call, b: Call): boolean {
  const names = Object.keys(a) as (keyof Call)[];
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
