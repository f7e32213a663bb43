import { chainFacts, type EvmChain, type TradingChain } from "../../../core/chain-facts.ts";
import type { DomainError } from "../../../core/domain-error.ts";
import { greatest } from "../../../orders/bigints.ts";
import { unitsFrom } from "../../../orders/decimal-text.ts";
import { unlistedPurchases } from "../../../orders/large-loss.ts";
import type { Need } from "../../../orders/needs.ts";
import { type Submission, submissionOf } from "../../../orders/order-details.ts";
import { millionthsOf, minimumOf } from "../../../orders/percent.ts";
import { reservedBy } from "../../../orders/reserved.ts";
import { type AskedTrade, defaultMaxPriceImpact } from "../../../orders/trade.ts";
import { type AnyOrder, hasEnded } from "../../../orders/trade-order.ts";
import { type ChainLimits, nativeToken } from "../../../orders/trading-chain.ts";
import { addedBy, type OrderRules } from "../../../orders/wallet-policy.ts";
import { feesWithin, type NetworkFee, networkFee, type PlannedGas, weiOfGwei } from "./fees.ts";
import type { Fees } from "./intent.ts";
import { objectionToOrder } from "./order-checks.ts";
import type { OrderSettings } from "./order-settings.ts";
import type { TradeFacts } from "./trade-facts.ts";

/** The user's facts that decide about an order, in addition to the request and the chain. */
export type Trader = {
  /** The user's settings for the chain. The request may override them. */
  settings: OrderSettings;
  /** All users' orders of the wallet. */
  orders: readonly AnyOrder[];
  /** True if an operator has stopped trading. */
  isStopped: boolean;
  /** True if an order may lose any part of its value: the caller has just signed in, or needs no fresh sign-in. */
  mayLose: boolean;
  /** The rules for the wallet's orders. Absent without a wallet. */
  rules?: OrderRules | undefined;
};

/** A chain as the service is configured for it. */
export type ChainSetup = {
  chain: EvmChain;
  hasRelay: boolean;
  limits: ChainLimits;
  /** The addresses of the listed tokens. */
  listed: readonly string[];
  /** Names the configuration of the chain, with its hosts. */
  name: string;
};

/** Returns the figures that decide whether a trade needs a fresh sign-in. Undefined if any loss is allowed. */
export const lossOf = (
  { listed }: Pick<ChainSetup, "listed">,
  { mayLose, orders }: Pick<Trader, "mayLose" | "orders">,
  { identity: { isListed }, held }: Pick<TradeFacts, "identity" | "held">,
) => (mayLose ? undefined : { isListed, coins: held?.coins, unlisted: unlistedPurchases(orders, listed) });

/** The terms that an order would get, and the reason to refuse it. */
export type TradeCheck = {
  chain: EvmChain;
  settings: OrderSettings;
  /** In wei per unit of gas. */
  maxGasPrice: bigint;
  /** At most the highest gas price, unless that is the objection. */
  fees: Fees;
  networkFee: NetworkFee;
  /** The lowest amount that may arrive. */
  least: bigint;
  /** The needs, the coin's first. Empty without a wallet. */
  needs: readonly Need[];
  submission: Submission;
  objection?: DomainError;
};

/** Chooses the settings of an order: its own first, then the user's. */
export const settingsForTrade = (
  trade: AskedTrade,
  { settings }: Pick<Trader, "settings">,
): OrderSettings => ({
  slippage: trade.slippage ?? settings.slippage,
  gasPreset: trade.gasPreset ?? settings.gasPreset,
  maxGasPrice: trade.maxGasPrice ?? settings.maxGasPrice,
  mevProtection: trade.mevProtection ?? settings.mevProtection,
});

/**
 * Checks a trade against one host's facts. Quotes, trial runs and orders all use it.
 *
 * @throws {DomainError} INVALID_REQUEST if `minAmountOut` has more decimal places than the token that would arrive.
 */
export function checkTrade(
  setup: ChainSetup,
  trade: AskedTrade,
  trader: Trader,
  facts: TradeFacts,
): TradeCheck {
  const { side } = trade;
  const { amount, fees: wanted, baseFee, transactions, safety, flags } = facts;
  const settings = settingsForTrade(trade, trader);
  const maxGasPrice = weiOfGwei(settings.maxGasPrice);
  const swapGas = transactions.at(-1) as PlannedGas;
  const { maxOrder, maxNetworkFee } = setup.limits;
  const within = feesWithin({ maxGasPrice, maxNetworkFee }, wanted, baseFee, swapGas);
  const fees = within ?? wanted;
  const fee = networkFee(transactions, fees, baseFee);
  const orders = trader.orders.filter((order) => !hasEnded(order));
  const least = leastOut(setup.chain, trade, settings, facts);
  const needs = needsOfTrade(setup.chain, trade, { ...facts, orders }, fee);
  const objection = objectionToOrder({
    chain: setup.chain,
    side,
    token: trade.token,
    amount,
    isStopped: trader.isStopped,
    openOrders: orders.length,
    maxOrder,
    adds: addedBy(side, amount, fee.max),
    // Nothing is paid while gas is too dear, which is the more helpful objection.
    networkFees: within ? fee.max : 0n,
    minAmountOut: least,
    quotedOut: facts.amountOut,
    rules: trader.rules,
    maxGasPrice,
    maxNetworkFee,
    fees: wanted,
    baseFee,
    transactions,
    // If both are too low, an error about the token is more helpful.
    needs: needs.toReversed(),
    safety,
    flags,
    allowUnsafe: trade.allowUnsafe ?? false,
    priceImpact: Math.max(facts.priceImpact, facts.market?.impact ?? 0),
    maxPriceImpact: trade.maxPriceImpact ?? defaultMaxPriceImpact,
    loss: lossOf(setup, trader, facts),
  });
  return {
    chain: setup.chain,
    settings,
    maxGasPrice,
    fees,
    networkFee: fee,
    least,
    needs,
    submission: submissionOf({
      chain: setup.chain,
      isPrivate: chainFacts[setup.chain].hasPublicPool && settings.mevProtection && setup.hasRelay,
    }),
    ...(objection && { objection }),
  };
}

/** Computes the lowest amount that may arrive. */
export function leastOut(
  chain: TradingChain,
  { side, minAmountOut }: AskedTrade,
  { slippage }: Pick<OrderSettings, "slippage">,
  { amountOut, identity }: Pick<TradeFacts, "amountOut" | "identity">,
): bigint {
  if (minAmountOut !== undefined)
    return unitsFrom(
      minAmountOut,
      side === "buy" ? identity.decimals : chainFacts[chain].coin.decimals,
      "minAmountOut",
    );
  return minimumOf(amountOut, millionthsOf(slippage));
}

const rest = (units: bigint, taken: bigint) => greatest(units - taken, 0n);

/** Computes the wallet's balances minus the amounts that its open orders will spend. */
export function availableOf(
  held: NonNullable<TradeFacts["held"]>,
  token: string,
  orders: readonly AnyOrder[],
): { coins: bigint; tokens: bigint } {
  const reserved = reservedBy(orders);
  return {
    coins: rest(held.coins, reserved.coins),
    tokens: rest(held.tokens, reserved.tokens.get(token) ?? 0n),
  };
}

function needsOfTrade(
  chain: EvmChain,
  { side, token }: AskedTrade,
  { identity, amount, held, orders }: TradeFacts & Pick<Trader, "orders">,
  { max }: NetworkFee,
): Need[] {
  if (held === undefined) return [];
  const available = availableOf(held, token, orders);
  const { symbol } = chainFacts[chain].coin;
  const needed = addedBy(side, amount, max);
  const coin = {
    token: nativeToken,
    symbol,
    decimals: chainFacts[chain].coin.decimals,
    needed,
    available: available.coins,
  };
  return side === "buy" ? [coin] : [coin, { ...identity, needed: amount, available: available.tokens }];
}
