import { laneCoreOf } from "../../chains/families/lane.ts";
import { dayOf } from "../../core/time.ts";
import { judgeDepartures } from "../../orders/departures.ts";
import type { SendFailure } from "../../orders/effects.ts";
import { type LaneView, type Procedure, perform, type SignAnswer } from "../../orders/effects.ts";
import type { FamilyTypes } from "../../orders/family.ts";
import type { LaneKey } from "../../orders/intent.ts";
import type { LaneCore, LaneState, Move, Snapshots } from "../../orders/lane-core.ts";
import { endedWrite, unprovenIn } from "../../orders/lane-deaths.ts";
import { waitingFor } from "../../orders/lane-reservation.ts";
import {
  afterStep,
  beginStep,
  isHeld,
  leaveStep,
  stillHeld,
  takeReservedStep,
  takeStep,
  withSlots,
} from "../../orders/lane-steps.ts";
import type { JobName, Lane, MissedToken, TradeStep } from "../../orders/table-step.ts";

/** Total time, and interval, for asking hosts again if they disagree. */
const patienceMs = 2000;
const pauseMs = 250;

/**
 * Limits of a run: the number of its moves, and the time before it reads the table again. The lease lasts much longer.
 */
const maxMoves = 40;
const longestMs = 10_000;

function* askHosts(
  core: LaneCore,
  lane: LaneKey,
  view: LaneView,
  times: { nowMs: number; untilMs: number },
): Procedure<Snapshots> {
  const question = core.questionAbout(lane, view, times);
  const first = yield* perform({ do: "hostSnapshot", host: 0, question });
  const second = yield* perform({ do: "hostSnapshot", host: 1, question });
  return [first, second];
}

/** The reason for a run. */
export type RunStart = {
  /** A job that the lane should have. */
  job?: JobName | undefined;
  /** A token that the wallet may have lost. */
  missed?: MissedToken | undefined;
  /** Id of the order for whose first run its placing has reserved the new lane. */
  reservation?: string | undefined;
};

/**
 * Takes a wallet's lane, does everything that is possible now for the wallet's orders, and leaves. Never waits for a
 * block.
 *
 * @param holder A random id of this run.
 * @param setup Identifies the configuration of the chain.
 */
export function* workLane(
  lane: LaneKey,
  holder: string,
  chainLimits: FamilyTypes["limits"],
  setup: string,
  start: RunStart = {},
): Procedure<void> {
  const core = laneCoreOf(lane.chain);
  const { missed } = start;
  const startMs = yield* perform({ do: "now" });
  const first = yield* takenLane(lane, holder, start, startMs);
  if (first?.lane?.holder !== holder) return;
  let view: LaneView = first;
  const sendings = new Map<string, number | SendFailure>();
  const asked = new Set<string>();
  for (let moves = 0; moves < maxMoves; ) {
    const readMs = yield* perform({ do: "now" });
    const run = { view, rules: core.rules, holder, sendings, chainLimits, asked };
    const known = core.placedSnapshots({ ...run, nowMs: readMs, isPatient: true }, setup);
    const snapshots =
      known ?? (yield* askHosts(core, lane, view, { nowMs: readMs, untilMs: startMs + longestMs }));
    const nowMs = known === undefined ? yield* perform({ do: "now" }) : readMs;
    if (nowMs - startMs > longestMs) return;
    const isPatient = nowMs - startMs < patienceMs;
    // Relies on the run's own writes until it needs new facts.
    for (let isKnown = true; isKnown && moves < maxMoves; moves++) {
      const state: LaneState = { ...run, view, snapshots, nowMs, isPatient, arePlaced: known !== undefined };
      const move = moveOf(core, state);
      if (move.kind === "rest") {
        if (yield* perform({ do: "write", step: leaving(core, state) })) return;
        isKnown = false;
      } else if (move.kind === "ask again") {
        yield* perform({ do: "pause", ms: pauseMs });
        isKnown = false;
      } else {
        if (move.kind === "prove") asked.add(move.order.intent.orderId);
        const next = yield* carryOut(core, move, state, sendings);
        if (next === "left") return;
        isKnown = next !== undefined;
        view = next ?? view;
      }
    }
    view = yield* readLane(lane, nowMs, { missed });
    if (view.lane?.holder !== holder) return;
  }
}

/** Takes a lane for a run, and returns what the run begins with. Undefined if another run has begun. */
function* takenLane(
  lane: LaneKey,
  holder: string,
  { job, missed, reservation }: RunStart,
  nowMs: number,
): Procedure<LaneView | undefined> {
  if (reservation !== undefined) {
    // Reads the lane while taking it, because no run can have changed a lane that is still reserved. Other functions
    // may change it at any time: the run's writes require what it has read, and the signer reads for itself.
    const take = takeReservedStep(lane, { holder, reservation }, nowMs);
    const view = yield* perform({ do: "beginLane", take, lane, day: dayOf(nowMs), job });
    if (view?.lane?.holder !== waitingFor(reservation)) return view;
    return { ...view, lane: { ...view.lane, holder } };
  }
  // Takes the lane before reading it, because another run may have changed anything read earlier.
  if (!(yield* perform({ do: "write", step: takeStep(lane, holder, nowMs) }))) {
    if (missed === undefined) return undefined;
    // Creates a lane for a wallet without orders, to check the token that the wallet may lack.
    if (!(yield* perform({ do: "write", step: beginStep(lane, holder, nowMs) }))) return undefined;
  }
  return yield* readLane(lane, nowMs, { job, missed });
}

/**
 * Works on a lane unless another run has begun: one that holds the lane, or has changed each order since its placing.
 * Only reads the lane, so that it does not disturb that run's writes.
 *
 * @param work Starts the run. It gets the reservation only if that still holds.
 */
export function* workIfNotBegun(
  lane: LaneKey,
  { job, reservation }: Pick<RunStart, "job" | "reservation">,
  work: (start: RunStart) => Procedure<void>,
): Procedure<void> {
  const nowMs = yield* perform({ do: "now" });
  const { lane: held, orders } = yield* readLane(lane, nowMs, { job });
  if (held === undefined) return;
  if (reservation !== undefined && held.holder === waitingFor(reservation))
    return yield* work({ job, reservation });
  if (isHeld(held, nowMs) || orders.every(({ revision }) => revision > 1)) return;
  yield* work({ job });
}

function* readLane(
  lane: LaneKey,
  nowMs: number,
  expected: Pick<RunStart, "job" | "missed">,
): Procedure<LaneView> {
  return yield* perform({ do: "readLane", lane, day: dayOf(nowMs), ...expected });
}

/** Decides about orders before it decides about tokens that have left the wallet. */
function moveOf(core: LaneCore, state: LaneState): Move {
  const move = core.nextMove(state);
  if (move.kind !== "rest") return move;
  const { step } = judgeDepartures(core, state);
  if (step.length > 0) return { kind: "write", step };
  const unproven = unprovenIn(state.view, core.rules, state.nowMs);
  const child = unproven.find(({ order }) => !state.asked?.has(order.intent.orderId));
  return child ? { kind: "prove", ...child } : move;
}

const leaving = (core: LaneCore, state: LaneState, last?: TradeStep): TradeStep =>
  leaveStep(state, last, judgeDepartures(core, state).noted);

/** Returns the view after a move: undefined if the table has changed, "left" if the move also left the lane. */
function* carryOut(
  core: LaneCore,
  move: Exclude<Move, { kind: "rest" | "ask again" }>,
  state: LaneState,
  sendings: Map<string, number | SendFailure>,
): Procedure<LaneView | "left" | undefined> {
  const { view } = state;
  switch (move.kind) {
    case "write":
      return yield* writeStep(core, move.step, state);
    case "send": {
      const { raw, to } = move;
      const answer = yield* perform({ do: "send", chain: (view.lane as Lane).chain, raw, to });
      sendings.set(move.hash, answer === "reached" ? yield* perform({ do: "now" }) : answer);
      return view;
    }
    case "prove": {
      const { order, asked } = move;
      const { chain } = order.intent;
      const words = yield* perform({ do: "childWords", chain, child: asked });
      const death = core.rules.deaths.proofIn?.(chain, asked.signed, words);
      if (death === undefined) return view;
      return yield* writeStep(
        core,
        [stillHeld(state), ...endedWrite(view, order, death, state.nowMs)],
        state,
      );
    }
    case "sign": {
      const { intent, mac, mandate, mandateMac } = move.order;
      const claimed = {
        intent,
        mac,
        ...(mandate && { mandate }),
        ...(mandateMac !== undefined && { mandateMac }),
      };
      const request = yield* core.completed(move.request, move.order);
      const answer: SignAnswer =
        request === undefined
          ? { later: "the request cannot be completed" }
          : yield* perform({ do: "sign", request: { ...request, claimed } });
      if ("slot" in answer) return withSigned(view, answer);
      const reason =
        "refused" in answer ? "SIGNING_REFUSED" : "forbidden" in answer ? "KEY_LIMIT" : undefined;
      if (core.isFirst(move.request, view) && reason !== undefined)
        return yield* writeStep(core, core.refusedStep(state, move.order, reason), state);
      // Leaves the lane, because the run can only wait.
      yield* perform({ do: "write", step: leaveStep(state) });
      return "left";
    }
  }
}

type Signed = Extract<SignAnswer, { raw: string }>;

function withSigned(view: LaneView, { slot, raw }: Signed): LaneView {
  const bytes = new Map(view.bytes).set(slot.attempts.at(-1)?.hash ?? "", raw);
  return { ...view, slots: withSlots(view.slots, [slot]), bytes };
}

/** Writes a step. If no more work remains, leaves the lane in the same step. */
function* writeStep(
  core: LaneCore,
  step: TradeStep,
  state: LaneState,
): Procedure<LaneView | "left" | undefined> {
  const view = afterStep(state.view, step);
  const next = view.lane && moveOf(core, { ...state, view });
  if (next?.kind === "rest") {
    const last = leaving(core, { ...state, view }, step);
    return (yield* perform({ do: "write", step: last })) ? "left" : undefined;
  }
  if (!(yield* perform({ do: "write", step }))) return undefined;
  // The lane is removed together with its last order.
  return next === undefined ? "left" : view;
}
