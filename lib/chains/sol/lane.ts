import {
  type LaneView,
  type Procedure,
  perform,
  type Question,
  type SignRequest,
} from "../../orders/effects.ts";
import type { LaneKey } from "../../orders/intent.ts";
import type { LaneCore } from "../../orders/lane-core.ts";
import { hasEnded, type TradeOrder } from "../../orders/trade-order.ts";
import type { Sol } from "./rules/family.ts";
import { markIdOf } from "./rules/intent.ts";
import { nextSolMove, refusedSolStep, wantsClear, wantsSwap } from "./rules/next-move.ts";
import { slotOfOrder } from "./rules/order-life.ts";
import { placedSolSnapshots } from "./rules/placed-facts.ts";
import { solSlots } from "./rules/slot-rules.ts";

/**
 * Asks for the markers and receipts of all orders that have messages. Asks about a next message only once it is due,
 * because that takes many more calls. If it becomes due meanwhile, the lane's next run signs it.
 */
const questionAbout = (
  lane: LaneKey,
  { slots, orders, missed }: LaneView<Sol>,
  { nowMs }: { nowMs: number },
): Question<Sol> => {
  const wanting = orders.filter(
    (order) => !hasEnded(order) && !order.isCancelling && wantsSwap(order, slotOfOrder(order, slots), nowMs),
  );
  const parents = new Map(
    orders.flatMap(({ intent }) => (intent.parent ? [[intent.orderId, markIdOf(intent)]] : [])),
  );
  return {
    chain: lane.chain,
    wallet: lane.wallet,
    hashes: slots.flatMap(({ attempts }) => attempts.map(({ hash }) => hash)),
    marked: [...new Set([...slots.map(({ orderId }) => orderId), ...parents.keys()])],
    ...(parents.size > 0 && { parents }),
    orders: wanting.map(({ intent }) => intent),
    missed,
    wantsBlockhash:
      wanting.length > 0 || orders.some((order) => wantsClear(order, slotOfOrder(order, slots))),
  };
};

/** Adds the signature of Jupiter's helper key. Only the run that asked Jupiter has this key. */
function* completed(
  request: SignRequest<Sol>,
  { intent }: TradeOrder<Sol>,
): Procedure<SignRequest<Sol> | undefined> {
  const { message } = request;
  if (message.purpose === "clear" || !("build" in message)) return request;
  const helperSignature = yield* perform<"signAsHelper", Sol>({ do: "signAsHelper", intent, message });
  return helperSignature === undefined ? undefined : { ...request, helperSignature };
}

/** Decides what happens to lanes on Solana. */
export const solLane: LaneCore<Sol> = {
  rules: solSlots,
  questionAbout,
  nextMove: nextSolMove,
  refusedStep: refusedSolStep,
  completed,
  /**
   * Reuses the answers from placing only to sign the first message, which saves the time of asking again. Everything
   * else needs fresh answers.
   */
  placedSnapshots(state, setup) {
    const snapshots = placedSolSnapshots(state.view, setup, state.nowMs);
    return snapshots && nextSolMove({ ...state, snapshots }).kind === "sign" ? snapshots : undefined;
  },
  /** Needs no blocks to wait for, because balances are read at the finalized slot. */
  departures: { seenIn: () => [], areFinal: () => true },
  isFirst: ({ attempt }) => attempt === 1,
};
