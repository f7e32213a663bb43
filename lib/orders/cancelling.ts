import { raisedByOne, raisedTo } from "./cutoffs.ts";
import { type Procedure, perform } from "./effects.ts";
import type { SlotTerms } from "./family.ts";
import { type CutoffScope, unchanged } from "./table-step.ts";
import {
  type AnyOrder,
  beingCancelled,
  cancelledByUser,
  changed,
  hasEnded,
  hasSignedSwap,
  type Life,
  lifeAfter,
} from "./trade-order.ts";

export type CancelAnswer =
  | { order: AnyOrder }
  | { refused: "ORDER_NOT_FOUND" }
  | { refused: "ORDER_NOT_CANCELLABLE"; status: Life["status"] };

const maxTries = 5;

/**
 * Cancels an order. If its swap is not signed, the order ends at once. Otherwise, a transaction that does nothing
 * competes with the swap, and the chain decides between them. Repeating the cancellation changes nothing.
 *
 * Records the cancellation before it reads the order, because executeOrders writes orders and could claim that this one
 * is no longer open. From then on, the signer signs only clears, and every run on the lane cancels the order if this
 * one cannot. The record never expires: when it is written, nobody knows how long its order may live.
 */
export function* cancelling(userID: string, orderId: string): Procedure<CancelAnswer> {
  const nowMs = yield* perform({ do: "now" });
  const item = { userID, orderId };
  yield* perform({ do: "write", step: [{ kind: "put", of: "cancellation", item }] });
  for (let tries = 1; ; tries++) {
    const { order, slots } = yield* perform({ do: "readOrder", userID, orderId });
    if (order === undefined) return { refused: "ORDER_NOT_FOUND" };
    if (order.life.status === "cancelled" || (order.isCancelling && !hasEnded(order))) return { order };
    if (hasEnded(order)) return { refused: "ORDER_NOT_CANCELLABLE", status: order.life.status };
    const cancelled = cancelledOrder(order, slots, nowMs);
    const step = [{ kind: "put", of: "order", item: cancelled, when: unchanged(order) }] as const;
    const isWritten = yield* perform({ do: "write", step });
    if (!isWritten && tries < maxTries) continue;
    yield* perform({ do: "wake", lane: order.intent });
    return { order: isWritten ? cancelled : order };
  }
}

/**
 * Cancels all orders in the scope that were placed before. A single write decides, and from then on the signer signs
 * only clears for them.
 *
 * Returns the orders that were open. The caller cancels each of them: the clock of its placing may have been ahead, and
 * its lane must learn of the cancellation.
 */
export function* cuttingOff(scope: CutoffScope): Procedure<readonly AnyOrder[]> {
  const nowMs = yield* perform({ do: "now" });
  const isRaised = yield* perform({ do: "write", step: [raisedTo(scope, nowMs)] });
  if (!isRaised) yield* perform({ do: "write", step: [raisedByOne(scope)] });
  return yield* perform({ do: "readOpenOrders", scope });
}

/** Leaves slots that are only planned to the lane's next run, which removes them. */
function cancelledOrder(order: AnyOrder, slots: readonly SlotTerms[], nowMs: number): AnyOrder {
  if (hasSignedSwap(order, slots)) return changed(order, beingCancelled(order), nowMs);
  const ending = cancelledByUser;
  return changed(order, { ending, life: lifeAfter(order.life, ending) }, nowMs);
}
