import { coinUnitsFrom } from "../../orders/decimal-text.ts";
import { type QuoteEnd, type QuoteParts, quoteParts, warnedOf } from "../../orders/quote-parts.ts";
import { warningsOf } from "../../orders/quote-warnings.ts";
import { listedTokens, setupName } from "../../orders/requests.ts";
import type { AskedTrade } from "../../orders/trade.ts";
import type { QuoteRequest } from "../../orders/trade-request.ts";
import { jupiterForQuote } from "./quotes/ask-jupiter.ts";
import { quoteOnSol } from "./quotes/quote-on-chain.ts";
import { checkSolTrade, type SolSetup, type SolTradeCheck, type SolTrader } from "./rules/check-trade.ts";
import { solLimitsOf } from "./rules/limits.ts";
import { type SolRouteStep, solRouteStep } from "./rules/route-step.ts";
import type { SolTradeFacts } from "./rules/trade-facts.ts";
import { type SolNetworkFee, solText } from "./rules/trade-fees.ts";
import type { SolReader } from "./venues/reader.ts";

/** A quote on Solana, as clients see it. */
export type SolQuote = QuoteParts &
  QuoteEnd & {
    route: SolRouteStep[];
    /** Fees in SOL. Priority fee and tip are those of a first attempt. */
    networkFee: { expected: string; max: string; priority: string; tip: string };
    /** SOL that stays in accounts opened for the order. */
    rent: string;
    /** SOL that a purchase should leave for the fees of a later sale. */
    exitReserve?: string;
  };

export const solSetupOf = ({ configuration }: Pick<SolReader, "configuration">): SolSetup => {
  const { relay, baseFee } = configuration;
  return {
    chain: "sol",
    ...(relay && { leastTip: coinUnitsFrom("sol", relay.leastTip, "leastTip") }),
    baseFeeCap: coinUnitsFrom("sol", baseFee, "baseFee"),
    limits: solLimitsOf(configuration),
    listed: listedTokens(configuration).map(({ token }) => token),
    name: setupName(configuration),
  };
};

/**
 * Quotes an order on sol from the facts that one host reports. A quote reserves nothing and is not binding.
 *
 * @throws {DomainError} INVALID_REQUEST, TOKEN_NOT_FOUND, NO_ROUTE, AMOUNT_TOO_SMALL, and INSUFFICIENT_BALANCE for a
 * percentage of an empty balance
 * @throws {ChainUnavailable}
 */
export async function quoteSolTrade(
  reader: SolReader,
  trade: QuoteRequest,
  trader: SolTrader,
  now: Date,
): Promise<SolQuote> {
  const { wallet } = trade;
  const question = { trade, wallet, orders: trader.orders };
  const facts = await quoteOnSol(reader.client.read, reader, question, jupiterForQuote(reader));
  const check = checkSolTrade(solSetupOf(reader), trade, trader, facts);
  return shownSolQuote(wallet, trade, { facts, check }, now);
}

/** Formats a checked trade on sol for clients. */
export function shownSolQuote(
  wallet: string | undefined,
  trade: AskedTrade,
  { facts, check }: { facts: SolTradeFacts; check: SolTradeCheck },
  now: Date,
): SolQuote {
  const [best] = facts.routes;
  const { networkFee, rent, exitReserve, isBelowMarket } = check;
  return {
    ...quoteParts(wallet, trade, { facts, check }, now),
    route: [solRouteStep(trade, best, best.feeBps)],
    approval: false,
    networkFee: feeTexts(networkFee),
    rent: solText(rent),
    ...(trade.side === "buy" && { exitReserve: solText(exitReserve) }),
    warnings: warningsOf({ ...warnedOf(trade, { facts, check }), exitReserve, isBelowMarket }),
    block: facts.slot,
  };
}

const feeTexts = ({ expected, max, priority, tip }: SolNetworkFee) => ({
  expected: solText(expected),
  max: solText(max),
  priority: solText(priority),
  tip: solText(tip),
});
