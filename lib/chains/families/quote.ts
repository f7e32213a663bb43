import { familyOf } from "../../core/chain-facts.ts";
import type { FamilyTypes, HostAnswers } from "../../orders/family.ts";
import type { Assessed } from "../../orders/placing-family.ts";
import type { AskedTrade } from "../../orders/trade.ts";
import type { QuoteRequest } from "../../orders/trade-request.ts";
import type { EvmQuote } from "../evm/quote.ts";
import { evmQuotes } from "../evm/quote.ts";
import type { SolQuote } from "../sol/quote.ts";
import { solQuotes } from "../sol/quote.ts";
import type { Family } from "./family.ts";
import type { ChainReader } from "./open-chains.ts";

/** A quote on any chain, as clients see it. */
export type TradeQuote = EvmQuote | SolQuote;

/** The quotes of a family's chains. */
export type QuoteFamily<Reader = ChainReader, F extends FamilyTypes = FamilyTypes> = {
  setupOf(reader: Reader): F["setup"];
  /** Asks two hosts about a wallet's next order. */
  quotesOf(reader: Reader, question: F["quoteQuestion"]): Promise<HostAnswers<F>>;
  /**
   * Quotes an order from the facts that one host reports. A quote reserves nothing and is not binding.
   *
   * @throws {DomainError} INVALID_REQUEST, TOKEN_NOT_FOUND, NO_ROUTE, AMOUNT_TOO_SMALL, and INSUFFICIENT_BALANCE for a
   * percentage of an empty balance
   * @throws {ChainUnavailable}
   */
  quoteTrade(reader: Reader, request: QuoteRequest, trader: F["trader"], now: Date): Promise<TradeQuote>;
  /** Formats a checked trade for clients. */
  shown(
    wallet: string | undefined,
    trade: AskedTrade,
    assessed: Pick<Assessed<F>, "facts" | "check">,
    now: Date,
  ): TradeQuote;
};

const families: Readonly<Record<Family, QuoteFamily>> = {
  evm: evmQuotes,
  sol: solQuotes,
};

export const quotesOn = ({ chain }: Pick<ChainReader, "chain">): QuoteFamily => families[familyOf(chain)];
