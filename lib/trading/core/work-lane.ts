import { dayOf } from "../../core/time.ts";
import { type LaneView, type Procedure, perform, type Question, type SignAnswer } from "./effects.ts";
import type { HostSnapshots } from "./evm/host-snapshot.ts";
import { type LaneState, type Move, nextMove, refusedStep, wantsFacts } from "./evm/next-move.ts";
import { placedSnapshots } from "./evm/placed-facts.ts";
import { newestAttempt, type SendFailure, type Slot } from "./evm/slot.ts";
import type { LaneKey } from "./intent.ts";
import { afterStep, leaveStep, takeStep, withSlots } from "./lane-steps.ts";
import type { ItemWrite, JobName, Lane, TradeStep } from "./table-step.ts";
import type { ChainLimits } from "./trading-chain.ts";

/** Disagreeing hosts are asked again for this long, at this interval. */
const patienceMs = 2000;
const pauseMs = 250;

/** The most moves of a run, and the longest time before it reads the table again. The lease lasts much longer. */
const maxMoves = 40;
const longestMs = 10_000;

const callsOf = ({ call, attempts }: Slot) =>
  attempts.map(({ hash, purpose }) => [hash, purpose === "clear" ? { purpose } : call] as const);

/** @param untilMs The run makes its last decision by this time. */
export const questionAbout = (lane: LaneKey, { slots, orders }: LaneView, untilMs: number): Question => ({
  chain: lane.chain,
  wallet: lane.wallet,
  hashes: slots.flatMap(({ attempts }) => attempts.map(({ hash }) => hash)),
  calls: new Map(slots.flatMap(callsOf)),
  orders: orders
    .filter((order) => order.life.status === "open" && wantsFacts(order, slots, untilMs))
    .map(({ intent }) => intent),
  blocks: [...orders.map(({ ending }) => ending?.soldOutIn), ...slots.map(({ takenIn }) => takenIn)].flatMap(
    (seen = []) => seen.map(({ number }) => number),
  ),
});

export function* askHosts(lane: LaneKey, view: LaneView, untilMs: number): Procedure<HostSnapshots> {
  const question = questionAbout(lane, view, untilMs);
  const first = yield* perform({ do: "hostSnapshot", host: 0, question });
  const second = yield* perform({ do: "hostSnapshot", host: 1, question });
  return [first, second];
}

/**
 * Returns the facts from the placing of an order, if its first transaction is planned from them. Everything else takes
 * fresh answers: they only spare the order the time of asking.
 */
function placedFacts(state: Omit<LaneState, "snapshots">, setup: string): HostSnapshots | undefined {
  const snapshots = placedSnapshots(state.view, setup, state.nowMs);
  const move = snapshots && nextMove({ ...state, snapshots });
  return move?.kind === "write" && move.step.some(isPlanning) ? snapshots : undefined;
}

const isPlanning = (write: ItemWrite) =>
  write.kind === "put" && write.of === "slot" && write.item.state === "planned";

/**
 * Takes a wallet's lane, does everything that is possible now for its orders, and leaves. It never waits for a block.
 *
 * @param holder A random id of this run.
 * @param setup Names the configuration of the chain.
 * @param job The lane is expected to have it.
 */
export function* workLane(
  lane: LaneKey,
  holder: string,
  chainLimits: ChainLimits,
  setup: string,
  job?: JobName,
): Procedure<void> {
  const startMs = yield* perform({ do: "now" });
  // Takes the lane before reading it: another run may have changed anything read earlier.
  if (!(yield* perform({ do: "write", step: takeStep(lane, holder, startMs) }))) return;
  let view = yield* perform({ do: "readLane", lane, day: dayOf(startMs), job });
  if (view.lane?.holder !== holder) return;
  const sendings = new Map<string, number | SendFailure>();
  for (let moves = 0; moves < maxMoves; ) {
    const readMs = yield* perform({ do: "now" });
    const run = { view, holder, sendings, chainLimits };
    const known = placedFacts({ ...run, nowMs: readMs, isPatient: true }, setup);
    const snapshots = known ?? (yield* askHosts(lane, view, startMs + longestMs));
    const nowMs = known === undefined ? yield* perform({ do: "now" }) : readMs;
    if (nowMs - startMs > longestMs) return;
    const isPatient = nowMs - startMs < patienceMs;
    // The run relies on its own writes until it needs new facts.
    for (let isKnown = true; isKnown && moves < maxMoves; moves++) {
      const state = { view, snapshots, nowMs, holder, sendings, isPatient, chainLimits };
      const move = nextMove(state);
      if (move.kind === "rest") {
        if (yield* perform({ do: "write", step: leaveStep(state) })) return;
        isKnown = false;
      } else if (move.kind === "ask again") {
        yield* perform({ do: "pause", ms: pauseMs });
        isKnown = false;
      } else {
        const next = yield* carryOut(move, state, sendings);
        if (next === "left") return;
        isKnown = next !== undefined;
        view = next ?? view;
      }
    }
    view = yield* perform({ do: "readLane", lane, day: dayOf(nowMs) });
    if (view.lane?.holder !== holder) return;
  }
}

/** Returns the view after a move: undefined if the table has changed, "left" if the move also left the lane. */
function* carryOut(
  move: Exclude<Move, { kind: "rest" | "ask again" }>,
  state: LaneState,
  sendings: Map<string, number | SendFailure>,
): Procedure<LaneView | "left" | undefined> {
  const { view } = state;
  switch (move.kind) {
    case "write":
      return yield* writeStep(move.step, state);
    case "send": {
      const { raw, to } = move;
      const answer = yield* perform({ do: "send", chain: (view.lane as Lane).chain, raw, to });
      sendings.set(move.hash, answer === "reached" ? yield* perform({ do: "now" }) : answer);
      return view;
    }
    case "sign": {
      const answer = yield* perform({ do: "sign", request: move.request });
      if ("slot" in answer) return withSigned(view, answer);
      const isUnsigned = view.slots.some(
        ({ nonce, state }) => nonce === move.request.nonce && state === "planned",
      );
      if (isUnsigned && "refused" in answer) return yield* writeStep(refusedStep(state, move.order), state);
      // Nothing but time can help.
      yield* perform({ do: "write", step: leaveStep(state) });
      return "left";
    }
  }
}

function withSigned(view: LaneView, { slot, raw }: Extract<SignAnswer, { slot: Slot }>): LaneView {
  const bytes = new Map(view.bytes).set(newestAttempt(slot)?.hash ?? "", raw);
  return { ...view, slots: withSlots(view.slots, [slot]), bytes };
}

/** Writes a step, and leaves the lane with it if nothing else is to be done. */
function* writeStep(step: TradeStep, state: LaneState): Procedure<LaneView | "left" | undefined> {
  const view = afterStep(state.view, step);
  const next = view.lane && nextMove({ ...state, view });
  if (next?.kind === "rest")
    return (yield* perform({ do: "write", step: leaveStep({ ...state, view }, step) })) ? "left" : undefined;
  if (!(yield* perform({ do: "write", step }))) return undefined;
  // The lane has ended with its last order.
  return next === undefined ? "left" : view;
}
