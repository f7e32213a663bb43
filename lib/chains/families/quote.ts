import type { EvmQuote } from "../evm/quote.ts";
import type { SolQuote } from "../sol/quote.ts";

/** A quote of any chain, as clients see it. */
export type TradeQuote = EvmQuote | SolQuote;
