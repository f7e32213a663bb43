import type { DomainError } from "../../core/domain-error.ts";
import type { ChainSetup, TradeCheck, Trader } from "../evm/rules/check-trade.ts";
import type { QuoteQuestion, TradeFacts } from "../evm/rules/trade-facts.ts";
import type { SolSetup, SolTradeCheck, SolTrader } from "../sol/rules/check-trade.ts";
import type { SolLaneQuestion, SolTradeFacts } from "../sol/rules/trade-facts.ts";
import type { Family } from "./types.ts";

/** The types of quotes that differ between the families of chains. */
export type Quoting = {
  evm: {
    setup: ChainSetup;
    trader: Trader;
    question: QuoteQuestion;
    facts: TradeFacts;
    check: TradeCheck;
  };
  sol: {
    setup: SolSetup;
    trader: SolTrader;
    question: SolLaneQuestion;
    facts: SolTradeFacts;
    check: SolTradeCheck;
  };
};

/** A host's facts, a reason why every host would refuse the trade, or undefined if the host gave no clear answer. */
export type HostAnswer<F extends Family> = Quoting[F]["facts"] | DomainError | undefined;

export type HostAnswers<F extends Family> = readonly [HostAnswer<F>, HostAnswer<F>];

/** A user's settings for orders on a chain. */
export type OrderSettingsOf<F extends Family> = Quoting[F]["trader"]["settings"];
