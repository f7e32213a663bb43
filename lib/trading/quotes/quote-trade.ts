import type { QuoteRequest, TradeQuote } from "../../api/quote-schema.ts";
import type { DomainError } from "../../core/domain-error.ts";
import type { EvmReader } from "../chains/open-chains.ts";
import { limitsOf, setupName } from "../chains/requests.ts";
import { readAddress } from "../core/address.ts";
import {
  type ChainSetup,
  checkTrade,
  settingsForTrade,
  type TradeCheck,
  type Trader,
} from "../core/check-trade.ts";
import { coinDecimals, coinText, formatAmount, formatPrice } from "../core/decimal-text.ts";
import type { NetworkFee } from "../core/evm/fees.ts";
import type { PoolPrice } from "../core/evm/pool-price.ts";
import { isEnough, type Need } from "../core/order-checks.ts";
import { percentOf } from "../core/percent.ts";
import { warningsOf } from "../core/quote-warnings.ts";
import { routeSteps } from "../core/route-steps.ts";
import { type AskedTrade, addressesOf, type TradeFacts } from "../core/trade-facts.ts";
import { chainFacts, type EvmChain, nativeToken } from "../core/trading-chain.ts";
import { quoteOnChain } from "./quote-on-chain.ts";

const validMs = 30_000;

export const setupOf = ({ chain, configuration }: EvmReader): ChainSetup => ({
  chain,
  hasRelay: configuration.relay !== undefined,
  limits: limitsOf(chain, configuration),
  name: setupName(configuration),
});

/**
 * Quotes an order from the facts that one host reports. A quote reserves nothing and is not binding.
 *
 * @throws {DomainError} INVALID_REQUEST, TOKEN_NOT_FOUND, NO_ROUTE, AMOUNT_TOO_SMALL, and INSUFFICIENT_BALANCE for a
 * percentage of an empty balance
 * @throws {ChainUnavailable}
 */
export async function quoteTrade(
  reader: EvmReader,
  request: QuoteRequest,
  trader: Trader,
  now: Date,
): Promise<TradeQuote> {
  const trade = { ...request, token: readAddress(reader.chain, request.token, "token") };
  const wallet =
    request.wallet === undefined ? undefined : readAddress(reader.chain, request.wallet, "wallet");
  const { gasPreset } = settingsForTrade(trade, trader);
  const asked = { trade, gasPreset, wallet, orders: trader.orders };
  const facts = await quoteOnChain(reader.client.read, reader, asked);
  return shownQuote(wallet, trade, { facts, check: checkTrade(setupOf(reader), trade, trader, facts) }, now);
}

/** Formats a checked trade for clients. */
export function shownQuote(
  wallet: string | undefined,
  trade: AskedTrade,
  { facts, check }: { facts: TradeFacts; check: TradeCheck },
  now: Date,
): TradeQuote {
  const { side, token, percent, minAmountOut } = trade;
  const { amount, amountOut, identity, priceImpact, safety, transactions, block } = facts;
  const [best] = facts.routes;
  const { chain, settings, least, needs, networkFee, submission, objection } = check;
  const { decimals } = identity;
  const ofCoin = coinDecimals[chain];
  const [inDecimals, outDecimals] = side === "buy" ? [ofCoin, decimals] : [decimals, ofCoin];
  const [coins, tokens] = side === "buy" ? [amount, amountOut] : [amountOut, amount];
  const { sellable, buyTax, sellTax } = safety;
  const [coinNeed] = needs;
  return {
    chain,
    ...(wallet !== undefined && { wallet }),
    side,
    token,
    symbol: `${identity.symbol}/${chainFacts[chain].coin.symbol}`,
    amount: formatAmount(amount, inDecimals),
    amountToken: side === "buy" ? nativeToken : token,
    ...(percent !== undefined && { percent }),
    amountOut: formatAmount(amountOut, outDecimals),
    minAmountOut: formatAmount(least, outDecimals),
    ...(minAmountOut === undefined && { slippage: settings.slippage }),
    price: formatPrice(chain, coins, tokens, decimals),
    priceImpact,
    ...(facts.market && {
      marketImpact: facts.market.impact,
      referencePrice: formatPrice(chain, ...coinsAndTokens(side, facts.market.reference), decimals),
    }),
    route: routeSteps(trade, best, addressesOf(best)),
    buyTax,
    sellTax,
    sellable,
    flags: [...facts.flags],
    approval: transactions.length > 1,
    networkFee: feeTexts(chain, networkFee),
    ...(needs.length > 0 && { balances: needs.map(balanceOfNeed) }),
    submission,
    warnings: warningsOf({
      side,
      submission,
      coins,
      networkFee,
      left: coinNeed && coinNeed.available - coinNeed.needed,
      marketImpact: facts.market?.impact,
      slippage: minAmountOut === undefined ? settings.slippage : percentOf(amountOut - least, amountOut),
    }),
    ...(objection && { wouldBeRefused: errorOf(objection) }),
    block: block.number,
    asOf: now.toISOString(),
    validUntil: new Date(now.getTime() + validMs).toISOString(),
  };
}

/** Sorts a price into its coins and its tokens. */
const coinsAndTokens = (side: AskedTrade["side"], price: PoolPrice): [coins: bigint, tokens: bigint] =>
  side === "buy" ? [price.in, price.out] : [price.out, price.in];

const feeTexts = (chain: EvmChain, { expected, max, l1 }: NetworkFee) => ({
  expected: coinText(chain, expected),
  max: coinText(chain, max),
  l1: coinText(chain, l1),
});

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
