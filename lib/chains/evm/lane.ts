import type { LaneView, Question } from "../../orders/effects.ts";
import type { LaneKey } from "../../orders/intent.ts";
import type { LaneCore } from "../../orders/lane-core.ts";
import type { ItemWrite } from "../../orders/table-step.ts";
import type { Evm } from "./rules/family.ts";
import { bothAnswered } from "./rules/host-snapshot.ts";
import { nextEvmMove, refusedEvmStep, wantsFacts } from "./rules/next-move.ts";
import { placedEvmSnapshots } from "./rules/placed-facts.ts";
import { areFinal, blocksSeen } from "./rules/seen-blocks.ts";
import type { EvmSlot } from "./rules/slot.ts";
import { evmSlots } from "./rules/slot-rules.ts";

const callsOf = ({ call, attempts }: EvmSlot) =>
  attempts.map(({ hash, purpose }) => [hash, purpose === "clear" ? { purpose } : call] as const);

const questionAbout = (
  lane: LaneKey,
  { slots, orders, ...view }: LaneView<Evm>,
  { untilMs }: { untilMs: number },
): Question<Evm> => ({
  chain: lane.chain,
  wallet: lane.wallet,
  hashes: slots.flatMap(({ attempts }) => attempts.map(({ hash }) => hash)),
  calls: new Map(slots.flatMap(callsOf)),
  agreed: new Map(
    slots.flatMap(({ receipt }) =>
      receipt?.status === "ok" && receipt.isAgreed ? [[receipt.hash, receipt.block.hash]] : [],
    ),
  ),
  orders: orders
    .filter((order) => order.life.status === "open" && wantsFacts(order, slots, untilMs))
    .map(({ intent }) => intent),
  missed: view.missed,
  blocks: [
    ...orders.map(({ ending }) => ending?.soldOutIn),
    ...slots.map(({ takenIn }) => takenIn),
    ...(view.lane?.watch?.departures ?? []).map(({ seenIn }) => seenIn),
  ].flatMap((seen = []) => seen.map(({ number }) => number)),
});

const isPlanning = (write: ItemWrite) =>
  write.kind === "put" && write.of === "slot" && write.item.state === "planned";

/** Decides what happens to lanes of EVM chains. */
export const evmLane: LaneCore<Evm> = {
  rules: evmSlots,
  questionAbout,
  nextMove: nextEvmMove,
  refusedStep: refusedEvmStep,
  /** Adds nothing, because a request contains all that the signer needs. */
  // biome-ignore lint/correctness/useYield: nothing is asked for.
  *completed(request) {
    return request;
  },
  /**
   * Reuses the answers from placing only for the first transaction, which saves the time of asking again. Everything
   * else needs fresh answers.
   */
  placedSnapshots(state, setup) {
    const snapshots = placedEvmSnapshots(state.view, setup, state.nowMs);
    const move = snapshots && nextEvmMove({ ...state, snapshots, arePlaced: true });
    const isFirst = move?.kind === "sign" || (move?.kind === "write" && move.step.some(isPlanning));
    return isFirst ? snapshots : undefined;
  },
  departures: {
    seenIn: (snapshots) => (bothAnswered(snapshots) ? blocksSeen(snapshots) : undefined),
    areFinal,
  },
  isFirst: (request, { slots }) =>
    slots.some(({ place, state }) => place === request.place && state === "planned"),
};
