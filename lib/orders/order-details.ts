import { chainFacts, isEvmChain } from "../core/chain-facts.ts";
import type { LaneKey } from "./intent.ts";

/**
 * The way of a transaction to the chain: through a relay, directly to the chain's sequencer, or through a public pool.
 */
export type Submission = "private" | "sequencer" | "public";

/** Returns the way of an order, or of one of its transactions, to the chain. */
export function submissionOf({
  chain,
  isPrivate,
}: Pick<LaneKey, "chain"> & { isPrivate: boolean }): Submission {
  if (isPrivate) return "private";
  return isEvmChain(chain) && !chainFacts[chain].hasPublicPool ? "sequencer" : "public";
}

/** A signed transaction, without its bytes. */
export type ShownTransaction = {
  attempt: number;
  purpose: string;
  txHash: string;
  outcome: string;
  submission: Submission;
  /** The first known time at which it was sent. */
  sentAt?: string;
};

/** A pool on the way of a trade. Tokens are addresses, or `native`. */
export type RouteStepTerms = {
  venue: string;
  pool?: string;
  feeBps?: number;
  tokenIn: string;
  tokenOut: string;
};

/** The result of a filled order, from receipts. Amounts are decimal text. */
export type ReportTerms = {
  /** The token's address, or `native`. */
  spent: { token: string; amount: string };
  received: { token: string; amount: string };
  quotedAmountOut: string;
  /** The shortfall against the quote, in percent. Negative if more arrived. */
  slippage: number;
  priceImpact?: number;
  marketImpact?: number;
  /** The pools of the swap, in the order of the trade. Absent in reports of old orders. */
  route?: RouteStepTerms[];
  submission: Submission;
  /** The slot, on chains whose blocks have one. */
  block: number;
  blockTime: string;
  /** Each part and the total, in coin. */
  networkFee: { total: string };
};

/** An order's transactions. They are stored with the order when it settles and its slots are removed. */
export type OrderDetails = {
  attempts: ShownTransaction[];
  report?: ReportTerms;
};

/** Returns the part of the quote that did not arrive, in percent: rounded to four decimal places, towards 0. */
export const shortfallPercent = (quoted: bigint, received: bigint): number =>
  quoted === 0n ? 0 : Number(((quoted - received) * 1_000_000n) / quoted) / 10_000;
