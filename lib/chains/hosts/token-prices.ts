import type { Order } from "../../orders/execution.ts";
import type { Ladders } from "../../orders/resting/selection.ts";
import type { PriceWords } from "../../orders/resting/touch.ts";

export type WordsQuestion = {
  side: Order["side"];
  token: string;
  amount: bigint;
  /** Distances of the earlier blocks from the head. */
  distances: readonly number[];
};

/** A question about at most 16 sums. */
export type SumsQuestion = { side: Order["side"]; token: string; sums: readonly bigint[] };

/** Answers of two hosts about a token's pools. The answer of a host that fails is undefined. */
export type TokenPrices = {
  /** Asks what an amount brings, at one block and at earlier ones. */
  priceWords(question: WordsQuestion): Promise<PriceWords>;
  /** Asks what some sums bring by each route, at one block. */
  quoteSums(question: SumsQuestion): Promise<Ladders>;
};
