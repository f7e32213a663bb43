import { chainFacts, type EvmChain } from "../../../core/chain-facts.ts";
import type { Wei, WeiPerGas } from "../../../core/units.ts";
import type { CheckTerms, SetupTerms, TraderTerms } from "../../../orders/family.ts";
import { submissionOf } from "../../../orders/order-details.ts";
import type { AskedTrade } from "../../../orders/trade.ts";
import { availableOf, checksOf, leastOut, needsOfTrade } from "../../../orders/trade-check.ts";
import type { AnyOrder } from "../../../orders/trade-order.ts";
import type { ChainLimits } from "../../../orders/trading-chain.ts";
import { addedBy } from "../../../orders/wallet-policy.ts";
import {
  type EvmNetworkFee,
  evmNetworkFee,
  feeOfExits,
  feesWithin,
  type PlannedGas,
  weiOfGwei,
} from "./fees.ts";
import type { EvmFees } from "./intent.ts";
import { objectionToEvmOrder } from "./order-checks.ts";
import type { EvmOrderSettings } from "./order-settings.ts";
import type { EvmTradeFacts } from "./trade-facts.ts";

/** The facts about a user that decide whether an order is accepted, in addition to the request and the chain. */
export type EvmTrader = TraderTerms & {
  settings: EvmOrderSettings;
  /** The wallet's orders, including those of other users. */
  orders: readonly AnyOrder[];
};

/** A chain, and the service's configuration for it. */
export type EvmSetup = SetupTerms & {
  chain: EvmChain;
  hasRelay: boolean;
  limits: ChainLimits<Wei>;
};

/** The terms that an order would get, and the reason to refuse it, if there is one. */
export type EvmTradeCheck = CheckTerms & {
  chain: EvmChain;
  settings: EvmOrderSettings;
  maxGasPrice: WeiPerGas;
  /** Fees within the highest gas price, or uncapped fees if that price is the objection. */
  fees: EvmFees;
  networkFee: EvmNetworkFee;
};

/** Chooses an order's settings: the values in the request, and the user's settings for the rest. */
export const evmSettingsForTrade = (
  trade: AskedTrade,
  { settings }: Pick<EvmTrader, "settings">,
): EvmOrderSettings => ({
  slippage: trade.slippage ?? settings.slippage,
  gasPreset: trade.gasPreset ?? settings.gasPreset,
  maxGasPrice: trade.maxGasPrice ?? settings.maxGasPrice,
  mevProtection: trade.mevProtection ?? settings.mevProtection,
});

/**
 * Checks a trade against one host's facts. Used by quotes, trial runs and orders.
 *
 * @throws {DomainError} INVALID_REQUEST if `minAmountOut` has more decimal places than the token that would arrive.
 */
export function checkEvmTrade(
  setup: EvmSetup,
  trade: AskedTrade,
  trader: EvmTrader,
  facts: EvmTradeFacts,
): EvmTradeCheck {
  const { side } = trade;
  const { amount, fees: wanted, baseFee, transactions } = facts;
  const settings = evmSettingsForTrade(trade, trader);
  const maxGasPrice = weiOfGwei(settings.maxGasPrice);
  const swapGas = transactions.at(-1) as PlannedGas;
  const { maxNetworkFee } = setup.limits;
  const within = feesWithin({ maxGasPrice, maxNetworkFee }, wanted, baseFee, swapGas);
  const fees = within ?? wanted;
  const fee = evmNetworkFee(transactions, fees, baseFee);
  const least = leastOut(setup.chain, trade, settings, facts);
  const available = facts.held && availableOf(facts.held, trade.token, trader.orders);
  const coins = addedBy(side, amount, fee.max);
  const forExits = feeOfExits(trader.exits ?? 0, swapGas, fees);
  const needs = needsOfTrade({ ...trader, side }, setup.chain, facts, available, coins, forExits);
  const objection = objectionToEvmOrder({
    ...checksOf(setup, trade, trader, facts, { least, needs }),
    adds: coins,
    // Counts no network fees while gas is too expensive, so that the gas price is the error that is reported.
    networkFees: within ? fee.max : 0n,
    maxGasPrice,
    maxNetworkFee,
    fees: wanted,
    baseFee,
    transactions,
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
