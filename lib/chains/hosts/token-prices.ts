import type { LegQuestion, SumsQuestion } from "../../orders/resting/firing.ts";
import type { Ladders } from "../../orders/resting/selection.ts";
import type { PriceWords } from "../../orders/resting/touch.ts";

/** Answers of two hosts about a token's pools. The answer of a host that fails is undefined. */
export type TokenPrices = {
  /** Asks what amounts bring, at one block and at earlier ones. */
  priceWords(questions: readonly LegQuestion[]): Promise<PriceWords[]>;
  /** Asks what some sums bring by each route, at one block. */
  quoteSums(question: SumsQuestion): Promise<Ladders>;
};
