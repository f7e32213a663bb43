import type { BlockName } from "./block.ts";
import type { LaneView, Procedure, Question, Recipients, SendFailure, SignRequest } from "./effects.ts";
import type { FamilyTypes } from "./family.ts";
import type { LaneKey } from "./intent.ts";
import type { LaneRun } from "./lane-steps.ts";
import type { SlotRules } from "./slot-rules.ts";
import type { TradeStep } from "./table-step.ts";
import type { TradeOrder } from "./trade-order.ts";

/** Answers of the two hosts. Undefined for a host without a clear answer. */
export type Snapshots<F extends FamilyTypes = FamilyTypes> = readonly [
  F["snapshot"] | undefined,
  F["snapshot"] | undefined,
];

/** The time at which each attempt was sent, or why nobody took it, by the attempt's hash. */
export type Sendings = ReadonlyMap<string, number | SendFailure>;

export type LaneState<F extends FamilyTypes = FamilyTypes> = LaneRun<F> & {
  snapshots: Snapshots<F>;
  /** Transactions that this run has sent. */
  sendings: Sendings;
  /** True if the run may ask disagreeing hosts again before it makes an order wait. */
  isPatient: boolean;
  chainLimits: F["limits"];
};

/** The next action of a run for a lane. */
export type Move<F extends FamilyTypes = FamilyTypes> =
  | { kind: "write"; step: TradeStep }
  | { kind: "sign"; request: SignRequest<F>; order: TradeOrder<F> }
  | { kind: "send"; hash: string; raw: string; to: Recipients }
  | { kind: "ask again" }
  | { kind: "rest" };

/** Decisions that depend on the family of a lane's chain. */
export type LaneCore<F extends FamilyTypes = FamilyTypes> = {
  rules: SlotRules<F>;
  /** @param untilMs The time of the run's last decision, at the latest. */
  questionAbout(lane: LaneKey, view: LaneView<F>, untilMs: number): Question<F>;
  /** Decides from nothing but the current state of the table and the chain. */
  nextMove(state: LaneState<F>): Move<F>;
  /**
   * Completes a request with data that only this run has. Returns undefined if it cannot; then the signer is not asked.
   */
  completed(request: SignRequest<F>, order: TradeOrder<F>): Procedure<SignRequest<F> | undefined>;
  /** Returns the facts from an order's placing if its first transaction is planned from them. */
  placedSnapshots(state: Omit<LaneState<F>, "snapshots">, setup: string): Snapshots<F> | undefined;
  /** True if the request was for the order's first attempt, so that a refusal ends the order. */
  isFirst(request: SignRequest<F>, view: LaneView<F>): boolean;
  /** The blocks at which both hosts read balances, and whether these blocks are final. */
  departures: {
    /**
     * Returns the blocks of both answers. Undefined if the hosts are too far apart; empty if both answers are final.
     */
    seenIn(snapshots: Snapshots<F>): BlockName[] | undefined;
    areFinal(seenIn: readonly BlockName[], snapshots: Snapshots<F>): boolean | undefined;
  };
  /** Rejects an order that the signer refuses. */
  refusedStep(state: LaneState<F>, order: TradeOrder<F>): TradeStep;
};
