import type { Call } from "./intent.ts";

/** How a transaction reaches the chain: through a relay, straight to who orders transactions, or by a public pool. */
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
  /** When it was first sent, as far as is known. */
  sentAt?: string;
  outcome: "pending" | "mined" | "reverted" | "replaced";
};

/** What a filled order did, from receipts. Amounts are decimal text. */
export type FillReport = {
  /** The token is an address, or `native`. */
  spent: { token: string; amount: string };
  received: { token: string; amount: string };
  quotedAmountOut: string;
  /** How much less arrived than was quoted, in percent. Negative if more did. */
  slippage: number;
  priceImpact?: number;
  /** In coin. `l1` is the part of the total that layer 1 cost. */
  networkFee: Record<"total" | Call["purpose"] | "l1", string>;
  gasUsed: number;
  /** In gwei. */
  effectiveGasPrice: string;
  submission: Submission;
  block: number;
  blockTime: string;
  /** Tokens that the router may still take. */
  approvalLeft: string;
};

/** An order's transactions. Kept with the order once it has settled, and its slots are gone. */
export type OrderDetails = { attempts: ShownAttempt[]; report?: FillReport };
