import type { Order } from "./execution.ts";
import type { Submission } from "./order-details.ts";

export const quoteWarnings = [
  /** Others can trade around the transaction. */
  "MEV_UNPROTECTED",
  /** The remaining coin does not pay for a later sale. */
  "NO_GAS_TO_SELL",
  /** The network fee is above 20 % of the trade. */
  "FEE_ABOVE_VALUE",
  /** The slippage is above 10 %. */
  "SLIPPAGE_HIGH",
  /** The price is at least 5 % worse than that of a tenth of the amount. */
  "PRICE_IMPACT_HIGH",
  /** A tenth of the amount would pay nothing, so the price cannot be compared. */
  "AMOUNT_TINY",
  /** The least that may arrive is above the quote: unless the price improves at once, an order ends unfilled. */
  "MINIMUM_ABOVE_QUOTE",
  /** An attempt pays less for priority than half of the recent transactions with the pool. */
  "PRIORITY_FEE_BELOW_MARKET",
] as const;

export type QuoteWarning = (typeof quoteWarnings)[number];

export type Warned = {
  side: Order["side"];
  submission: Submission;
  /** The native side of the trade. */
  coins: bigint;
  networkFee: { expected: bigint; max: bigint };
  /** The coin that the wallet has left. Undefined without a wallet. */
  left: bigint | undefined;
  /** The coin that must be left for a later sale: of an approval and a swap, unless given. */
  exitReserve?: bigint | undefined;
  isBelowMarket?: boolean;
  /** In percent. */
  slippage: number;
  /** In percent. Undefined if there is nothing to compare with. */
  marketImpact: number | undefined;
  bounds: Bounds;
};

/** The least amount that may arrive, and the amount that the quote expects. */
type Bounds = { least: bigint; quoted: bigint };

const isAboveQuote = ({ least, quoted }: Bounds): boolean => least > quoted;

/** True if others can trade around a transaction before it is in a block. */
const isUnprotected = (submission: Submission): boolean => submission === "public";

/** Lists the warnings about a placed order: about its route to the chain, and about its minimum. */
export const warningsOfOrder = (submission: Submission, bounds: Bounds): QuoteWarning[] => [
  ...(isUnprotected(submission) ? (["MEV_UNPROTECTED"] as const) : []),
  ...(isAboveQuote(bounds) ? (["MINIMUM_ABOVE_QUOTE"] as const) : []),
];

/** Lists warnings about a trade, in a fixed order. */
export function warningsOf({
  side,
  submission,
  coins,
  networkFee,
  left,
  exitReserve = 2n * networkFee.max,
  isBelowMarket = false,
  slippage,
  marketImpact,
  bounds,
}: Warned): QuoteWarning[] {
  const holds: Record<QuoteWarning, boolean> = {
    MEV_UNPROTECTED: isUnprotected(submission),
    NO_GAS_TO_SELL: side === "buy" && left !== undefined && left < exitReserve,
    FEE_ABOVE_VALUE: networkFee.expected * 5n > coins,
    SLIPPAGE_HIGH: slippage > 10,
    PRICE_IMPACT_HIGH: (marketImpact ?? 0) >= 5,
    AMOUNT_TINY: marketImpact === undefined,
    MINIMUM_ABOVE_QUOTE: isAboveQuote(bounds),
    PRIORITY_FEE_BELOW_MARKET: isBelowMarket,
  };
  return quoteWarnings.filter((warning) => holds[warning]);
}
