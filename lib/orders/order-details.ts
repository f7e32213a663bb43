import { chainFacts } from "../core/chain-facts.ts";
import type { LaneKey } from "./intent.ts";

/**
 * How a transaction reaches the chain: through a relay, directly through the chain's sequencer, or through a public
 * pool.
 */
export type Submission = "private" | "sequencer" | "public";

/** Returns how an order's transactions, or one of them, reach the chain. */
export function submissionOf({
  chain,
  isPrivate,
}: Pick<LaneKey, "chain"> & { isPrivate: boolean }): Submission {
  if (isPrivate) return "private";
  return chainFacts[chain].hasPublicPool ? "public" : "sequencer";
}

/** A signed transaction, without its bytes. */
export type ShownTransaction = {
  attempt: number;
  purpose: string;
  txHash: string;
  outcome: string;
  submission: Submission;
  /** Earliest known time at which the transaction was sent. */
  sentAt?: string;
};

/** A pool on a trade's route. Tokens are addresses, or `native`. */
export type RouteStepTerms = {
  venue: string;
  pool?: string;
  feeBps?: number;
  tokenIn: string;
  tokenOut: string;
};

/** Result of a filled order according to its receipts. Amounts are decimal text. */
export type ReportTerms = {
  /** Address of the token, or `native` for the chain's coin. */
  spent: { token: string; amount: string };
  received: { token: string; amount: string };
  quotedAmountOut: string;
  /** How much less arrived than was quoted, in percent. Negative if more arrived. */
  slippage: number;
  priceImpact?: number;
  marketImpact?: number;
  /** Pools of the swap, in the order of the trade. Absent in reports of old orders. */
  route?: RouteStepTerms[];
  submission: Submission;
  /** Number of the block, or the slot on chains that have slots. */
  block: number;
  blockTime: string;
  /** Each part of the network fee, and the total, in coin. */
  networkFee: { total: string };
};

/** An order's transactions, stored with the order once it settles and its slots are removed. */
export type OrderDetails = {
  attempts: ShownTransaction[];
  report?: ReportTerms;
};

/** Returns the share of the quote that did not arrive, in percent, rounded towards 0 to four decimal places. */
export const shortfallPercent = (quoted: bigint, received: bigint): number =>
  quoted === 0n ? 0 : Number(((quoted - received) * 1_000_000n) / quoted) / 10_000;
