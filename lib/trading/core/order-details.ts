import type { Call } from "./intent.ts";
import type { RouteStep } from "./route-steps.ts";

/**
 * The way of a transaction to the chain: through a relay, directly to the chain's sequencer, or through a public pool.
 */
export type Submission = "private" | "sequencer" | "public";

/** A signed transaction, without its bytes. */
export type ShownAttempt = {
  attempt: number;
  purpose: Call["purpose"];
  nonce: number;
  txHash: string;
  /** In gwei. */
  maxFeePerGas: string;
  maxPriorityFeePerGas: string;
  gasLimit: number;
  submission: Submission;
  /** The first known time at which it was sent. */
  sentAt?: string;
  outcome: "pending" | "mined" | "reverted" | "replaced";
};

/** The result of a filled order, from receipts. Amounts are decimal text. */
export type FillReport = {
  /** The token's address, or `native`. */
  spent: { token: string; amount: string };
  received: { token: string; amount: string };
  quotedAmountOut: string;
  /** The shortfall against the quote, in percent. Negative if more arrived. */
  slippage: number;
  priceImpact?: number;
  marketImpact?: number;
  /** The pools of the swap, in the order of the trade. Absent in reports of old orders. */
  route?: RouteStep[];
  /** In coin. `l1` is the part of the total paid beside gas: for layer 1, and to the operator of base. */
  networkFee: Record<"total" | Call["purpose"] | "l1", string>;
  gasUsed: number;
  /** In gwei. */
  effectiveGasPrice: string;
  submission: Submission;
  block: number;
  blockTime: string;
  /** The tokens that the router may still take. */
  approvalLeft: string;
};

/** An order's transactions. They are stored with the order when it settles and its slots are removed. */
export type OrderDetails = { attempts: ShownAttempt[]; report?: FillReport };
