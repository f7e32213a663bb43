import { familyOf } from "../../core/chain-facts.ts";
import type { Network } from "../../core/network.ts";
import type { FamilyTypes, HostAnswers } from "../../orders/family.ts";
import type { Assessed, QuotedTrade } from "../../orders/placing-family.ts";
import type { AskedTrade } from "../../orders/trade.ts";
import type { QuoteRequest } from "../../orders/trade-request.ts";
import { type EvmQuote, evmSetupOf, quoteEvmTrade, shownEvmQuote } from "../evm/quote.ts";
import { beginEvmQuotes, quotesOfEvmHosts } from "../evm/quotes/quotes-of-hosts.ts";
import type { EvmQuoteQuestion } from "../evm/rules/trade-facts.ts";
import type { EvmReader } from "../evm/venues/reader.ts";
import { quoteSolTrade, type SolQuote, shownSolQuote, solSetupOf } from "../sol/quote.ts";
import { beginSolQuotes, quotesOfSolHosts } from "../sol/quotes/quotes-of-hosts.ts";
import type { SolLaneQuestion } from "../sol/rules/trade-facts.ts";
import type { SolReader } from "../sol/venues/reader.ts";
import type { Family } from "./family.ts";
import type { ChainReader } from "./open-chains.ts";

/** A quote on any chain, as clients see it. */
export type TradeQuote = EvmQuote | SolQuote;

/** Quotes of two hosts, begun before all terms are known. */
type BegunQuotes = {
  /** Makes the other requests. The question must be about the same wallet and trade. */
  finish(question: FamilyTypes["quoteQuestion"]): Promise<HostAnswers>;
};

/** Quotes trades on the chains of one family. */
type QuoteFamily = {
  setupOf(reader: ChainReader): FamilyTypes["setup"];
  /** Asks two hosts about a wallet's next order. */
  askQuotes(reader: ChainReader, question: FamilyTypes["quoteQuestion"]): Promise<HostAnswers>;
  /** Begins to ask them before all terms are known. */
  beginQuotes(reader: ChainReader, trade: QuotedTrade): BegunQuotes;
  /**
   * Quotes an order from the facts that one host reports. A quote reserves nothing and is not binding.
   *
   * @throws {DomainError} INVALID_REQUEST, TOKEN_NOT_FOUND, NO_ROUTE, AMOUNT_TOO_SMALL, and INSUFFICIENT_BALANCE for a
   * percentage of an empty balance
   * @throws {ChainUnavailable}
   */
  quoteTrade(
    reader: ChainReader,
    request: QuoteRequest,
    trader: FamilyTypes["trader"],
    now: Date,
  ): Promise<TradeQuote>;
  /** Formats a checked trade for clients. */
  shown(
    wallet: string | undefined,
    trade: AskedTrade,
    assessed: Pick<Assessed, "facts" | "check">,
    now: Date,
  ): TradeQuote;
};

type Registry<Part extends keyof QuoteFamily> = Readonly<Record<Family, Pick<QuoteFamily, Part>>>;

// Keeps one registry for each question, so that a function loads only the code for the questions that it asks.
const setups: Registry<"setupOf"> = {
  evm: { setupOf: evmSetupOf },
  sol: { setupOf: (reader: SolReader) => solSetupOf(reader) },
};
const whole: Registry<"askQuotes"> = {
  evm: { askQuotes: (reader: EvmReader, question: EvmQuoteQuestion) => quotesOfEvmHosts(reader, question) },
  sol: {
    askQuotes: (reader: SolReader, question: SolLaneQuestion) =>
      quotesOfSolHosts(reader, question, question.slippage),
  },
};
const pairs: Registry<"beginQuotes"> = {
  evm: { beginQuotes: beginEvmQuotes },
  sol: { beginQuotes: beginSolQuotes },
};
const quotes: Registry<"quoteTrade"> = {
  evm: { quoteTrade: quoteEvmTrade },
  sol: { quoteTrade: quoteSolTrade },
};
const formats: Registry<"shown"> = {
  evm: { shown: shownEvmQuote },
  sol: { shown: shownSolQuote },
};

export const setupOn = (reader: ChainReader): FamilyTypes["setup"] => setups[reader.family].setupOf(reader);

export const beginQuotesBy = (reader: ChainReader, trade: QuotedTrade): BegunQuotes =>
  pairs[reader.family].beginQuotes(reader, trade);

export const askQuotes = (
  reader: ChainReader,
  question: FamilyTypes["quoteQuestion"],
): Promise<HostAnswers> => whole[reader.family].askQuotes(reader, question);

export const quoteOn = (
  reader: ChainReader,
  ...asked: [QuoteRequest, FamilyTypes["trader"], Date]
): Promise<TradeQuote> => quotes[reader.family].quoteTrade(reader, ...asked);

export const shownOn = (chain: Network, ...shown: Parameters<QuoteFamily["shown"]>): TradeQuote =>
  formats[familyOf(chain)].shown(...shown);
