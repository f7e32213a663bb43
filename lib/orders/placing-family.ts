import type { FamilyTypes, HostAnswer, HostAnswers } from "./family.ts";
import type { IntentTerms, LaneKey } from "./intent.ts";
import type { AskedTrade } from "./trade.ts";
import type { Quoted, TradeOrder } from "./trade-order.ts";

/** The terms of an order, by facts that two hosts agree on. */
export type Assessed<F extends FamilyTypes = FamilyTypes> = {
  setup: F["setup"];
  facts: F["facts"];
  check: F["check"];
  /** Holds the hosts' answers if they were asked just now. */
  quotes?: HostAnswers<F>;
};

/** The parts of placing that depend on the family of a chain. */
export type PlacingFamily<F extends FamilyTypes = FamilyTypes> = {
  questionAbout(lane: LaneKey, trade: AskedTrade, trader: F["trader"]): F["quoteQuestion"];
  /** Returns the quote that two hosts give. Undefined if they disagree. */
  jointAnswer(answers: HostAnswers<F>, question: F["quoteQuestion"]): HostAnswer<F>;
  /** Checks a trade against one host's facts, or those that two agree on. */
  check(setup: F["setup"], trade: AskedTrade, trader: F["trader"], facts: F["facts"]): F["check"];
  /** Returns the default lifetime of an order, in seconds. */
  secondsFor(check: F["check"]): number;
  intentOf(terms: IntentTerms, assessed: Assessed<F>): F["intent"];
  /** Returns the fields that only orders of the family begin with. */
  orderPart: F["order"];
  quotedPart(
    intent: F["intent"],
    assessed: Assessed<F>,
  ): Pick<Quoted, "pools" | "rents" | "stayingRents" | "feesBps">;
  /**
   * Returns what both hosts said, as text for the order's first run. Undefined if that asks them again.
   *
   * @param jobs The jobs of the lane, with the new one.
   */
  factsForRun(assessed: Assessed<F>, order: TradeOrder<F>, jobs: number): string | undefined;
};
