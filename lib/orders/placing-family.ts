import type { AskedTrade } from "../chains/evm/rules/trade-facts.ts";
import type { HostAnswer, HostAnswers, Quoting } from "../chains/families/quoting.ts";
import type { Families, Family } from "../chains/families/types.ts";
import type { IntentTerms, LaneKey } from "./intent.ts";
import type { Quoted, TradeOrder } from "./trade-order.ts";

/** The terms of an order, by facts that two hosts agree on. */
export type Assessed<F extends Family = "evm"> = {
  setup: Quoting[F]["setup"];
  facts: Quoting[F]["facts"];
  check: Quoting[F]["check"];
  /** The answers of the hosts that were just asked. */
  quotes?: HostAnswers<F>;
};

/** The parts of placing that depend on the family of a chain. */
export type PlacingFamily<F extends Family> = {
  questionAbout(lane: LaneKey, trade: AskedTrade, trader: Quoting[F]["trader"]): Quoting[F]["question"];
  /** Returns the quote that two hosts give. Undefined if they disagree. */
  jointAnswer(answers: HostAnswers<F>, question: Quoting[F]["question"]): HostAnswer<F>;
  /** Checks a trade against one host's facts, or those that two agree on. */
  check(
    setup: Quoting[F]["setup"],
    trade: AskedTrade,
    trader: Quoting[F]["trader"],
    facts: Quoting[F]["facts"],
  ): Quoting[F]["check"];
  /** Returns how long an order may be filled that names no time, in seconds. */
  secondsFor(check: Quoting[F]["check"]): number;
  intentOf(terms: IntentTerms, assessed: Assessed<F>): Families[F]["intent"];
  /** Returns the fields that only orders of the family begin with. */
  orderPart: Families[F]["order"];
  quotedPart(
    intent: Families[F]["intent"],
    assessed: Assessed<F>,
  ): Pick<Quoted, "pools" | "rents" | "feesBps">;
  /**
   * Returns what both hosts said, as text for the order's first run. Undefined if that asks them again.
   *
   * @param jobs The jobs of the lane, with the new one.
   */
  factsForRun(assessed: Assessed<F>, order: TradeOrder<F>, jobs: number): string | undefined;
};
