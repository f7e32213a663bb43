import type { TradeQuote } from "../../api/quote-schema.ts";
import type { DomainError } from "../../core/domain-error.ts";
import { coinDecimals, formatAmount, formatPrice } from "../../orders/decimal-text.ts";
import { isEnough, type Need } from "../../orders/order-checks.ts";
import { percentOf } from "../../orders/percent.ts";
import type { PoolPrice } from "../../orders/price-impact.ts";
import type { Warned } from "../../orders/quote-warnings.ts";
import { nativeToken, pairNames, type TradingChain } from "../../orders/trading-chain.ts";
import type { TradeCheck } from "../evm/rules/check-trade.ts";
import type { AskedTrade, TradeFacts } from "../evm/rules/trade-facts.ts";

const validMs = 30_000;

/** A checked trade on a chain of any family. */
type Checked = {
  facts: Pick<
    TradeFacts,
    "identity" | "amount" | "amountOut" | "priceImpact" | "market" | "safety" | "flags"
  >;
  check: Pick<TradeCheck, "least" | "needs" | "submission" | "objection"> & {
    chain: TradingChain;
    settings: { slippage: number };
    networkFee: Warned["networkFee"];
  };
};

/** Formats what quotes of all chains have. */
export function quoteParts(
  wallet: string | undefined,
  trade: AskedTrade,
  { facts, check }: Checked,
  now: Date,
): Omit<TradeQuote, "route" | "approval" | "networkFee" | "warnings" | "block"> {
  const { side, token, percent, minAmountOut } = trade;
  const { amount, amountOut, identity, priceImpact, market, safety } = facts;
  const { chain, settings, least, needs, submission, objection } = check;
  const { decimals } = identity;
  const ofCoin = coinDecimals[chain];
  const [inDecimals, outDecimals] = side === "buy" ? [ofCoin, decimals] : [decimals, ofCoin];
  const { sellable, buyTax, sellTax } = safety;
  const priceOf = (price: PoolPrice) => formatPrice(chain, ...coinsAndTokens(side, price), decimals);
  return {
    chain,
    ...(wallet !== undefined && { wallet }),
    side,
    token,
    ...pairNames(chain, identity.symbol),
    amount: formatAmount(amount, inDecimals),
    amountToken: side === "buy" ? nativeToken : token,
    ...(percent !== undefined && { percent }),
    amountOut: formatAmount(amountOut, outDecimals),
    minAmountOut: formatAmount(least, outDecimals),
    ...(minAmountOut === undefined && { slippage: settings.slippage }),
    price: priceOf({ in: amount, out: amountOut }),
    priceImpact,
    ...(market && { marketImpact: market.impact, referencePrice: priceOf(market.reference) }),
    ...{ buyTax, sellTax, sellable, flags: [...facts.flags] },
    ...(needs.length > 0 && { balances: needs.map(balanceOfNeed) }),
    submission,
    ...(objection && { wouldBeRefused: errorOf(objection) }),
    asOf: now.toISOString(),
    validUntil: new Date(now.getTime() + validMs).toISOString(),
  };
}

/** Returns what warnings about a trade depend on. */
export function warnedOf({ side, minAmountOut }: AskedTrade, { facts, check }: Checked): Warned {
  const { amount, amountOut, market } = facts;
  const { settings, least, needs, networkFee, submission } = check;
  const [coins] = coinsAndTokens(side, { in: amount, out: amountOut });
  const [coinNeed] = needs;
  return {
    ...{ side, submission, coins, networkFee },
    left: coinNeed && coinNeed.available - coinNeed.needed,
    marketImpact: market?.impact,
    bounds: { least, quoted: amountOut },
    slippage: minAmountOut === undefined ? settings.slippage : percentOf(amountOut - least, amountOut),
  };
}

/** Sorts a price into its coins and its tokens. */
const coinsAndTokens = (side: AskedTrade["side"], price: PoolPrice): [coins: bigint, tokens: bigint] =>
  side === "buy" ? [price.in, price.out] : [price.out, price.in];

const balanceOfNeed = (need: Need) => ({
  token: need.token,
  symbol: need.symbol,
  needed: formatAmount(need.needed, need.decimals),
  available: formatAmount(need.available, need.decimals),
  enough: isEnough(need),
});

const errorOf = ({ code, message, details }: DomainError) => ({
  code,
  message,
  ...(details !== undefined && { details }),
});
