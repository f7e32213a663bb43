import type { QuoteRequest, TradeQuote } from "../api/quote-schema.ts";
import type { DomainError } from "../domain/domain-error.ts";
import type { Order } from "../domain/execution.ts";
import { readAddress } from "../domain/trading/address.ts";
import { coinDecimals, formatAmount, formatPrice } from "../domain/trading/decimal-text.ts";
import { feesWithin, type NetworkFee, networkFee, weiOfGwei } from "../domain/trading/fees.ts";
import { isEnough, type Need, objectionToOrder } from "../domain/trading/order-checks.ts";
import type { Submission } from "../domain/trading/order-details.ts";
import { percentOf } from "../domain/trading/percent.ts";
import { warningsOf } from "../domain/trading/quote-warnings.ts";
import { flagsOf } from "../domain/trading/token-safety.ts";
import { hasEnded, type TradeOrder } from "../domain/trading/trade-order.ts";
import { chainFacts, type OrderSettings, type TradingChain } from "../domain/trading/trading-chain.ts";
import { nativeToken, unitsFrom } from "./chain-requests.ts";
import { transactionsOf } from "./choose-route.ts";
import type { ChainReader } from "./open-chains.ts";
import { type ChainQuote, quoteOnChain } from "./quote-on-chain.ts";

/** What decides about a user's order beside the request and the chain. */
export type Trader = {
  /** The user's settings of the chain. The request may override them. */
  settings: OrderSettings;
  /** The wallet's open orders, of all users. */
  orders: readonly TradeOrder[];
  /** Whether an operator has stopped trading. */
  isStopped: boolean;
  /** The most that a buy may spend, in wei. */
  maxOrder?: bigint | undefined;
};

/** Percent. */
const defaultMaxPriceImpact = 15;

const validMs = 30_000;

const million = 1_000_000n;
const ppmOf = (percent: number) => BigInt(Math.round(percent * 10_000));

/**
 * What an order would do now. It reserves nothing and binds nobody.
 *
 * @throws {DomainError} INVALID_REQUEST, TOKEN_NOT_FOUND, NO_ROUTE, AMOUNT_TOO_SMALL, and INSUFFICIENT_BALANCE for a share
 * of nothing
 * @throws {ChainUnavailable}
 */
export async function quoteTrade(
  reader: ChainReader,
  request: QuoteRequest,
  trader: Trader,
  now: Date,
): Promise<TradeQuote> {
  const settings = settingsOf(request, trader);
  const orders = trader.orders.filter((order) => !hasEnded(order));
  const token = readAddress(request.token, "token");
  const wallet = request.wallet === undefined ? undefined : readAddress(request.wallet, "wallet");
  const { side, amount, percent } = request;
  const { gasPreset } = settings;
  const found = await quoteOnChain(reader, { side, token, amount, percent, wallet, gasPreset, orders });
  const { identity, route, market } = found;
  const { decimals } = identity;
  const { fees: wanted, baseFee } = found.request;
  const maxGasPrice = weiOfGwei(settings.maxGasPrice);
  const { swap } = route.gas;
  const fees = feesWithin(maxGasPrice, wanted, baseFee, swap.gasLimit, swap.l1Fee) ?? wanted;
  const fee = networkFee(transactionsOf(route), fees, market.baseFee);
  const [inDecimals, outDecimals] = side === "buy" ? [coinDecimals, decimals] : [decimals, coinDecimals];
  const least = leastOut(request, settings, route.amountOut, outDecimals);
  const [coins, tokens] = side === "buy" ? [found.amount, route.amountOut] : [route.amountOut, found.amount];
  const flags = flagsOf(identity, found.safety, found.liquidity);
  const needs = needsOfTrade(reader.chain, side, found, fee);
  const submission = submissionOf(reader, settings);
  const [coinNeed] = needs;
  const objection = objectionToOrder({
    side,
    amount: found.amount,
    isStopped: trader.isStopped,
    openOrders: orders.length,
    maxOrder: trader.maxOrder,
    maxGasPrice,
    fees: wanted,
    baseFee,
    swapGas: swap,
    // Of two that are short, the token is more to the point.
    needs: needs.toReversed(),
    safety: found.safety,
    flags,
    allowUnsafe: request.allowUnsafe ?? false,
    priceImpact: route.priceImpact,
    maxPriceImpact: request.maxPriceImpact ?? defaultMaxPriceImpact,
  });
  const { sellable, buyTax, sellTax } = found.safety;
  const { venue, pool, feeBps } = route;
  return {
    chain: reader.chain,
    ...(wallet !== undefined && { wallet }),
    side,
    token,
    symbol: `${identity.symbol}/${chainFacts[reader.chain].coin.symbol}`,
    amount: formatAmount(found.amount, inDecimals),
    amountToken: side === "buy" ? nativeToken : token,
    ...(percent !== undefined && { percent }),
    amountOut: formatAmount(route.amountOut, outDecimals),
    minAmountOut: formatAmount(least, outDecimals),
    ...(request.minAmountOut === undefined && { slippage: settings.slippage }),
    price: formatPrice(coins, tokens, decimals),
    priceImpact: route.priceImpact,
    route: [{ venue, pool, feeBps }],
    buyTax,
    sellTax,
    sellable,
    flags,
    approval: route.approvals > 0,
    networkFee: feeTexts(fee),
    ...(needs.length > 0 && { balances: needs.map(balanceOfNeed) }),
    submission,
    warnings: warningsOf({
      side,
      submission,
      coins,
      networkFee: fee,
      left: coinNeed && coinNeed.available - coinNeed.needed,
      slippage:
        request.minAmountOut === undefined
          ? settings.slippage
          : percentOf(route.amountOut - least, route.amountOut),
    }),
    ...(objection && { wouldBeRefused: errorOf(objection) }),
    block: found.block,
    asOf: now.toISOString(),
    validUntil: new Date(now.getTime() + validMs).toISOString(),
  };
}

const settingsOf = (request: QuoteRequest, { settings }: Trader): OrderSettings => ({
  slippage: request.slippage ?? settings.slippage,
  gasPreset: request.gasPreset ?? settings.gasPreset,
  maxGasPrice: request.maxGasPrice ?? settings.maxGasPrice,
  mevProtection: request.mevProtection ?? settings.mevProtection,
});

/** The least that may arrive, and never less than one unit. */
function leastOut(
  { minAmountOut }: QuoteRequest,
  { slippage }: OrderSettings,
  amountOut: bigint,
  decimals: number,
): bigint {
  if (minAmountOut !== undefined) return unitsFrom(minAmountOut, decimals, "minAmountOut");
  const least = (amountOut * (million - ppmOf(slippage))) / million;
  return least > 0n ? least : 1n;
}

/** The coin first. None without a wallet. */
function needsOfTrade(
  chain: TradingChain,
  side: Order["side"],
  { identity, amount, available }: ChainQuote,
  { max }: NetworkFee,
): Need[] {
  if (available === undefined) return [];
  const { symbol } = chainFacts[chain].coin;
  const needed = side === "buy" ? amount + max : max;
  const coin = { token: nativeToken, symbol, decimals: coinDecimals, needed, available: available.coins };
  return side === "buy" ? [coin] : [coin, { ...identity, needed: amount, available: available.tokens }];
}

function submissionOf({ chain, configuration }: ChainReader, { mevProtection }: OrderSettings): Submission {
  if (!chainFacts[chain].hasPublicPool) return "sequencer";
  return mevProtection && configuration.relay !== undefined ? "private" : "public";
}

const feeTexts = ({ expected, max, l1 }: NetworkFee) => ({
  expected: formatAmount(expected, coinDecimals),
  max: formatAmount(max, coinDecimals),
  l1: formatAmount(l1, coinDecimals),
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
