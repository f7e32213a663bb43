import type { FamilyTypes, HostAnswer, HostAnswers } from "./family.ts";
import type { IntentTerms, LaneKey } from "./intent.ts";
import type { Leg, Mandate } from "./resting/mandate.ts";
import type { AskedTrade } from "./trade.ts";
import type { Quoted, TradeOrder } from "./trade-order.ts";

/** The terms of an order, computed from facts that two hosts agree on. */
export type Assessed<F extends FamilyTypes = FamilyTypes> = {
  setup: F["setup"];
  facts: F["facts"];
  check: F["check"];
  /** The hosts' answers. Present if the hosts were asked just now. */
  quotes?: HostAnswers<F>;
};

/** The trade of a wallet that hosts are asked about. */
export type QuotedTrade = { wallet: string; trade: AskedTrade };

/** The parts of placing an order that depend on the family of its chain. */
export type PlacingFamily<F extends FamilyTypes = FamilyTypes> = {
  questionAbout(lane: LaneKey, trade: AskedTrade, trader: F["trader"]): F["quoteQuestion"];
  /** Returns the quote on which both hosts agree. Undefined if they disagree. */
  jointAnswer(answers: HostAnswers<F>, question: F["quoteQuestion"]): HostAnswer<F>;
  /**
   * Leaves out prices that only a router's server states. Prices of resting orders are those of pools that the service
   * reads.
   */
  byOwnPools(answer: HostAnswer<F>): HostAnswer<F>;
  /** Checks a trade against the facts of one host, or against facts that two hosts agree on. */
  check(setup: F["setup"], trade: AskedTrade, trader: F["trader"], facts: F["facts"]): F["check"];
  /** Returns the default lifetime of an order, in seconds. */
  secondsFor(check: F["check"]): number;
  /** Returns the highest gas price of an order. Undefined on chains without gas. */
  gasPriceIn(check: F["check"]): bigint | undefined;
  /** Returns the fees of the pools of the best route, in basis points. */
  feesBps(facts: F["facts"]): readonly number[];
  /** Computes the most that one sale of what a buy receives may pay the network. */
  feeOfSale(assessed: Pick<Assessed<F>, "facts" | "check">): bigint;
  /** Returns the coin that stays in the marker of an order. Undefined on chains without markers. */
  markerRent(facts: F["facts"]): bigint | undefined;
  /** Chooses how a child of a resting order pays the network. */
  childFees(
    leg: Leg,
    mandate: Mandate,
    settings: F["trader"]["settings"],
  ): Pick<AskedTrade, "gasPreset" | "maxGasPrice">;
  intentOf(terms: IntentTerms, assessed: Assessed<F>): F["intent"];
  /** Initial values of the fields that only this family's orders have. */
  orderPart: F["order"];
  quotedPart(
    intent: F["intent"],
    assessed: Assessed<F>,
  ): Pick<Quoted, "pools" | "rents" | "stayingRents" | "feesBps">;
  /**
   * Returns both hosts' answers as text for the order's first run. Undefined if that run must ask the hosts again.
   *
   * @param jobs Number of jobs in the lane, including the new one.
   */
  factsForRun(assessed: Assessed<F>, order: TradeOrder<F>, jobs: number): string | undefined;
};
