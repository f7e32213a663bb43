import type { BlockName } from "./block.ts";
import type { LaneView, Procedure, Question, Recipients, SendFailure, SignRequest } from "./effects.ts";
import type { FamilyTypes } from "./family.ts";
import type { LaneKey } from "./intent.ts";
import type { AskedSwap } from "./lane-deaths.ts";
import type { LaneRun } from "./lane-steps.ts";
import type { SlotRules } from "./slot-rules.ts";
import type { TradeStep } from "./table-step.ts";
import type { OrderEnd, TradeOrder } from "./trade-order.ts";

/** Answers of the two hosts. Undefined for a host without a clear answer. */
export type Snapshots<F extends FamilyTypes = FamilyTypes> = readonly [
  F["snapshot"] | undefined,
  F["snapshot"] | undefined,
];

/** Maps each attempt's hash to the time at which it was sent, or to the reason why nobody accepted it. */
export type Sendings = ReadonlyMap<string, number | SendFailure>;

export type LaneState<F extends FamilyTypes = FamilyTypes> = LaneRun<F> & {
  snapshots: Snapshots<F>;
  /** True if the snapshots are the facts of an order's placing. */
  arePlaced?: boolean;
  /** Transactions that this run has sent. */
  sendings: Sendings;
  /** True if the run may ask hosts that disagree once more before it makes an order wait. */
  isPatient: boolean;
  chainLimits: F["limits"];
  /** Ids of the children whose deaths this run has asked hosts about. */
  asked?: ReadonlySet<string>;
};

/** The next action of a run for a lane. */
export type Move<F extends FamilyTypes = FamilyTypes> =
  | { kind: "write"; step: TradeStep }
  | { kind: "sign"; request: SignRequest<F>; order: TradeOrder<F> }
  | { kind: "send"; hash: string; raw: string; to: Recipients }
  | { kind: "ask again" }
  | { kind: "prove"; order: TradeOrder<F>; asked: AskedSwap }
  | { kind: "rest" };

/** The decisions about a lane that depend on the family of its chain. */
export type LaneCore<F extends FamilyTypes = FamilyTypes> = {
  rules: SlotRules<F>;
  /**
   * @param times.nowMs Time at which hosts are asked.
   * @param times.untilMs Latest time at which the run may still make a decision.
   */
  questionAbout(lane: LaneKey, view: LaneView<F>, times: { nowMs: number; untilMs: number }): Question<F>;
  /** Decides only from the current state of the table and the chain. */
  nextMove(state: LaneState<F>): Move<F>;
  /**
   * Completes a request with data that only this run has. Returns undefined if it cannot, and the signer is then not
   * asked.
   */
  completed(request: SignRequest<F>, order: TradeOrder<F>): Procedure<SignRequest<F> | undefined>;
  /** Returns the facts from when an order was placed, if its first transaction is planned from them. */
  placedSnapshots(state: Omit<LaneState<F>, "snapshots">, setup: string): Snapshots<F> | undefined;
  /** True if the request was for the order's first attempt. A refusal then ends the order. */
  isFirst(request: SignRequest<F>, view: LaneView<F>): boolean;
  /** Determines at which blocks both hosts read balances, and whether these blocks are final. */
  departures: {
    /**
     * Returns the blocks of both answers. Undefined if the hosts are too far apart; empty if both answers are final.
     */
    seenIn(snapshots: Snapshots<F>): BlockName[] | undefined;
    areFinal(seenIn: readonly BlockName[], snapshots: Snapshots<F>): boolean | undefined;
  };
  /** Rejects an order that the signer refuses, or that its program's key forbids. */
  refusedStep(state: LaneState<F>, order: TradeOrder<F>, reasonCode: OrderEnd["reasonCode"]): TradeStep;
};
