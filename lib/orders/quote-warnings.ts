import type { CoinUnits } from "../core/units.ts";
import type { Order } from "./execution.ts";
import type { Submission } from "./order-details.ts";

export const quoteWarnings = [
  /** Other traders can trade just before and just after the transaction. */
  "MEV_UNPROTECTED",
  /** The wallet would have too little coin to pay for a later sale. */
  "NO_GAS_TO_SELL",
  /** The network fee is more than 20 % of the trade's value. */
  "FEE_ABOVE_VALUE",
  /** The slippage is above 10 %. */
  "SLIPPAGE_HIGH",
  /** The price is at least 5 % worse than the price for a tenth of the amount. */
  "PRICE_IMPACT_HIGH",
  /** A tenth of the amount would pay nothing, so the price cannot be compared. */
  "AMOUNT_TINY",
  /** The minimum is above the quote, so the order ends unfilled unless the price improves at once. */
  "MINIMUM_ABOVE_QUOTE",
  /** An attempt pays less for priority than transactions with the pool usually do. */
  "PRIORITY_FEE_BELOW_MARKET",
] as const;

export type QuoteWarning = (typeof quoteWarnings)[number];

export type Warned = {
  side: Order["side"];
  submission: Submission;
  /** The amount of coin that the trade spends or receives. */
  coins: CoinUnits;
  networkFee: { expected: CoinUnits; max: CoinUnits };
  /** Coin that the trade leaves in the wallet. Undefined if no wallet is given. */
  left: CoinUnits | undefined;
  /** Coin that must remain for a later sale. By default, enough for an approval and a swap. */
  exitReserve?: CoinUnits | undefined;
  isBelowMarket?: boolean;
  /** Slippage of the trade, in percent. */
  slippage: number;
  /** Market impact in percent. Undefined if there is no price to compare with. */
  marketImpact: number | undefined;
  bounds: Bounds;
};

/** The minimum that may arrive, and the quoted amount. */
type Bounds = { least: bigint; quoted: bigint };

const isAboveQuote = ({ least, quoted }: Bounds): boolean => least > quoted;

/** True if other traders can trade just before and just after a transaction. */
const isUnprotected = (submission: Submission): boolean => submission === "public";

/** Lists warnings about a placed order that concern its route to the chain and its minimum. */
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
