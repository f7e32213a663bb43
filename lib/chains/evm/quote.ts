import type { EvmChain } from "../../core/chain-facts.ts";
import { coinText } from "../../orders/decimal-text.ts";
import { type QuoteEnd, type QuoteParts, quoteParts, warnedOf } from "../../orders/quote-parts.ts";
import { warningsOf } from "../../orders/quote-warnings.ts";
import { limitsOf, listedTokens, setupName } from "../../orders/requests.ts";
import type { AskedTrade } from "../../orders/trade.ts";
import type { QuoteRequest } from "../../orders/trade-request.ts";
import { quoteOnEvm } from "./quotes/quote-on-chain.ts";
import {
  checkEvmTrade,
  type EvmSetup,
  type EvmTradeCheck,
  type EvmTrader,
  evmSettingsForTrade,
} from "./rules/check-trade.ts";
import type { EvmNetworkFee } from "./rules/fees.ts";
import { type EvmRouteStep, evmRouteSteps } from "./rules/route-steps.ts";
import { addressesOf, type EvmTradeFacts } from "./rules/trade-facts.ts";
import type { EvmReader } from "./venues/reader.ts";

/** A quote of an EVM chain, as clients see it. */
export type EvmQuote = QuoteParts &
  QuoteEnd & {
    route: EvmRouteStep[];
    /** Fees in coins. `l1` is the fee paid in addition to gas. */
    networkFee: { expected: string; max: string; l1: string };
  };

export const evmSetupOf = ({ chain, configuration }: EvmReader): EvmSetup => ({
  chain,
  hasRelay: configuration.relay !== undefined,
  limits: limitsOf(chain, configuration),
  listed: listedTokens(configuration).map(({ token }) => token),
  name: setupName(configuration),
});

/**
 * Quotes an order from the facts that one host reports. A quote reserves nothing and is not binding.
 *
 * @throws {DomainError} INVALID_REQUEST, TOKEN_NOT_FOUND, NO_ROUTE, AMOUNT_TOO_SMALL, and INSUFFICIENT_BALANCE for a
 * percentage of an empty balance
 * @throws {ChainUnavailable}
 */
export async function quoteEvmTrade(
  reader: EvmReader,
  trade: QuoteRequest,
  trader: EvmTrader,
  now: Date,
): Promise<EvmQuote> {
  const { wallet } = trade;
  const { gasPreset } = evmSettingsForTrade(trade, trader);
  const asked = { trade, gasPreset, wallet, orders: trader.orders };
  const facts = await quoteOnEvm(reader.client.read, reader, asked);
  return shownEvmQuote(
    wallet,
    trade,
    { facts, check: checkEvmTrade(evmSetupOf(reader), trade, trader, facts) },
    now,
  );
}

/** Formats a checked trade for clients. */
export function shownEvmQuote(
  wallet: string | undefined,
  trade: AskedTrade,
  { facts, check }: { facts: EvmTradeFacts; check: EvmTradeCheck },
  now: Date,
): EvmQuote {
  const [best] = facts.routes;
  const { chain, networkFee } = check;
  return {
    ...quoteParts(wallet, trade, { facts, check }, now),
    route: evmRouteSteps(trade, best, addressesOf(best)),
    approval: facts.transactions.length > 1,
    networkFee: feeTexts(chain, networkFee),
    warnings: warningsOf(warnedOf(trade, { facts, check })),
    block: facts.block.number,
  };
}

const feeTexts = (chain: EvmChain, { expected, max, l1 }: EvmNetworkFee) => ({
  expected: coinText(chain, expected),
  max: coinText(chain, max),
  l1: coinText(chain, l1),
});
