import { chainFacts, type TradingChain } from "../core/chain-facts.ts";
import type { DomainError } from "../core/domain-error.ts";
import type { TokenFlag } from "../core/token-flag.ts";
import type { CoinUnits, TokenUnits } from "../core/units.ts";
import { formatAmount, formatPrice } from "./decimal-text.ts";
import type { CheckTerms, FactsTerms } from "./family.ts";
import { isEnough, type Need } from "./needs.ts";
import type { Submission } from "./order-details.ts";
import { percentOf } from "./percent.ts";
import type { PoolPrice } from "./price-impact.ts";
import type { QuoteWarning, Warned } from "./quote-warnings.ts";
import type { AskedTrade } from "./trade.ts";
import { nativeToken, pairNames } from "./trading-chain.ts";

const validMs = 30_000;

/** A quote as clients see it, except its route and network fee, which differ between the families of chains. */
export type QuoteParts = {
  chain: TradingChain;
  wallet?: string;
  side: AskedTrade["side"];
  token: string;
  symbol: string;
  baseSymbol: string;
  quoteSymbol: string;
  amount: string;
  amountToken: string;
  /** Percentage of the balance to sell. */
  percent?: number;
  /** Expected output after pool fees and token taxes. */
  amountOut: string;
  minAmountOut: string;
  slippage?: number;
  /** Price in coins per token. */
  price: string;
  priceImpact: number;
  /** Percentage by which the price is worse than the price for a tenth of the amount. */
  marketImpact?: number;
  /** Price for a tenth of the amount, in coins per token. */
  referencePrice?: string;
  sellable: boolean | null;
  buyTax: number | null;
  sellTax: number | null;
  flags: TokenFlag[];
  balances?: ShownNeed[];
  submission: Submission;
  /** Why an order with these terms would currently be refused. */
  wouldBeRefused?: { code: string; message: string; details?: object | undefined };
  asOf: string;
  validUntil: string;
};

type ShownNeed = { token: string; symbol: string; needed: string; available: string; enough: boolean };

/** Fields of a quote that each family computes in its own way. */
export type QuoteEnd = {
  /** True if one of the transactions is an approval. */
  approval: boolean;
  warnings: QuoteWarning[];
  block: number;
};

/** A checked trade, on a chain of any family. */
type Checked = {
  facts: FactsTerms;
  check: CheckTerms;
};

/** Formats the fields that quotes on all chains have. */
export function quoteParts(
  wallet: string | undefined,
  trade: AskedTrade,
  { facts, check }: Checked,
  now: Date,
): QuoteParts {
  const { side, token, percent, minAmountOut } = trade;
  const { amount, amountOut, identity, priceImpact, market, safety } = facts;
  const { chain, settings, least, needs, submission, objection } = check;
  const { decimals } = identity;
  const ofCoin = chainFacts[chain].coin.decimals;
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
    buyTax,
    sellTax,
    sellable,
    flags: [...facts.flags],
    ...(needs.length > 0 && { balances: needs.map(balanceOfNeed) }),
    submission,
    ...(objection && { wouldBeRefused: errorOf(objection) }),
    asOf: now.toISOString(),
    validUntil: new Date(now.getTime() + validMs).toISOString(),
  };
}

/** Returns the facts that the warnings about a trade depend on. */
export function warnedOf({ side, minAmountOut }: AskedTrade, { facts, check }: Checked): Warned {
  const { amount, amountOut, market } = facts;
  const { settings, least, needs, networkFee, submission } = check;
  const [coins] = coinsAndTokens(side, { in: amount, out: amountOut });
  const [coinNeed] = needs;
  return {
    side,
    submission,
    coins,
    networkFee,
    left: coinNeed && coinNeed.available - coinNeed.needed,
    marketImpact: market?.impact,
    bounds: { least, quoted: amountOut },
    slippage: minAmountOut === undefined ? settings.slippage : percentOf(amountOut - least, amountOut),
  };
}

/** Splits a price into an amount of coins and an amount of tokens. */
const coinsAndTokens = (
  side: AskedTrade["side"],
  price: PoolPrice,
): [coins: CoinUnits, tokens: TokenUnits] => (side === "buy" ? [price.in, price.out] : [price.out, price.in]);

const balanceOfNeed = (need: Need): ShownNeed => ({
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
