import type { SolRouteStep } from "../chains/sol/rules/route-step.ts";
import { chainFacts, isEvmChain } from "../core/chain-facts.ts";
import type { Call, LaneKey } from "./intent.ts";
import type { RouteStep } from "./route-steps.ts";

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

type CommonAttempt = {
  attempt: number;
  txHash: string;
  submission: Submission;
  /** The first known time at which it was sent. */
  sentAt?: string;
};

/** A signed transaction on an EVM chain, without its bytes. */
export type ShownAttempt = CommonAttempt & {
  purpose: Call["purpose"];
  nonce: number;
  /** In gwei. */
  maxFeePerGas: string;
  maxPriorityFeePerGas: string;
  gasLimit: number;
  outcome: "pending" | "mined" | "reverted" | "replaced";
};

/** A signed transaction on Solana, without its bytes. */
export type ShownSolAttempt = CommonAttempt & {
  purpose: "swap" | "clear";
  /** In SOL. */
  priorityFee: string;
  tip: string;
  computeUnitLimit: number;
  /** No later block can have it. */
  lastValidBlockHeight: number;
  outcome: "pending" | "mined" | "reverted" | "expired";
};

/** The result of a filled order, from receipts. Amounts are decimal text. */
type CommonReport = {
  /** The token's address, or `native`. */
  spent: { token: string; amount: string };
  received: { token: string; amount: string };
  quotedAmountOut: string;
  /** The shortfall against the quote, in percent. Negative if more arrived. */
  slippage: number;
  priceImpact?: number;
  marketImpact?: number;
  /** The pools of the swap, in the order of the trade. Absent in reports of old orders. */
  route?: (RouteStep | SolRouteStep)[];
  submission: Submission;
  /** On Solana, the slot. */
  block: number;
  blockTime: string;
};

/** The report of an order on an EVM chain. */
export type FillReport = CommonReport & {
  /** In coin. `l1` is the part of the total paid beside gas: for layer 1, and to the operator of base. */
  networkFee: Record<"total" | Call["purpose"] | "l1", string>;
  gasUsed: number;
  /** In gwei. */
  effectiveGasPrice: string;
  /** The tokens that the router may still take. */
  approvalLeft: string;
  /** ODD_EVENTS: the token's events did not say what the wallet got or gave. Its balances did. */
  flags?: "ODD_EVENTS"[];
  /** True if no two hosts know the wallet's balances around the fill, so that the events stand. */
  unchecked?: true;
};

/** The report of an order on Solana. */
export type SolFillReport = CommonReport & {
  /** In SOL. `priority` and `tip` are parts of the total. */
  networkFee: Record<"total" | "swap" | "clear" | "priority" | "tip", string>;
  /** In SOL: what stays in accounts that were opened for the order. */
  rent: string;
  computeUnits?: number;
};

/** An order's transactions. They are stored with the order when it settles and its slots are removed. */
export type OrderDetails = {
  attempts: (ShownAttempt | ShownSolAttempt)[];
  report?: FillReport | SolFillReport;
};

/** Returns the part of the quote that did not arrive, in percent: rounded to four decimal places, towards 0. */
export const shortfallPercent = (quoted: bigint, received: bigint): number =>
  quoted === 0n ? 0 : Number(((quoted - received) * 1_000_000n) / quoted) / 10_000;
