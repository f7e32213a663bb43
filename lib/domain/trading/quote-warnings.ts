import type { Order } from "../execution.ts";
import type { NetworkFee } from "./fees.ts";
import type { Submission } from "./order-details.ts";

export const quoteWarnings = [
  "MEV_UNPROTECTED",
  /** What is left pays no later sale. */
  "NO_GAS_TO_SELL",
  /** Above 20 % of the trade. */
  "FEE_ABOVE_VALUE",
  /** Above 10 %. */
  "SLIPPAGE_HIGH",
] as const;

export type QuoteWarning = (typeof quoteWarnings)[number];

export type Warned = {
  side: Order["side"];
  submission: Submission;
  /** The native side of the trade. */
  coins: bigint;
  networkFee: NetworkFee;
  /** What the wallet has left of its coin. Undefined without a wallet. */
  left: bigint | undefined;
  /** Percent. */
  slippage: number;
};

/** What a user should know before the trade, in a fixed order. */
export function warningsOf({ side, submission, coins, networkFee, left, slippage }: Warned): QuoteWarning[] {
  const holds: Record<QuoteWarning, boolean> = {
    MEV_UNPROTECTED: submission === "public",
    NO_GAS_TO_SELL: side === "buy" && left !== undefined && left < 2n * networkFee.max,
    FEE_ABOVE_VALUE: networkFee.expected * 5n > coins,
    SLIPPAGE_HIGH: slippage > 10,
  };
  return quoteWarnings.filter((warning) => holds[warning]);
}
