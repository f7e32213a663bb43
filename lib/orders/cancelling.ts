import { raisedByOne, raisedTo } from "./cutoffs.ts";
import { type Effects, type Procedure, perform } from "./effects.ts";
import type { Order } from "./execution.ts";
import type { SlotTerms } from "./family.ts";
import { afterSights } from "./resting/life.ts";
import { restingStep } from "./resting/resting-step.ts";
import { mayStillFill, statusOf } from "./resting/shown.ts";
import { type StoredResting, storedAfter } from "./resting/stored.ts";
import { type CutoffScope, unchanged } from "./table-step.ts";
import {
  type AnyOrder,
  beingCancelled,
  cancelledByUser,
  changed,
  hasEnded,
  hasSignedSwap,
  lifeAfter,
} from "./trade-order.ts";

export type CancelAnswer =
  | { order: AnyOrder }
  | { resting: StoredResting }
  | { refused: "ORDER_NOT_FOUND" }
  | { refused: "ORDER_NOT_CANCELLABLE"; status: Order["status"] };

const maxTries = 5;

/**
 * Cancels an order. If its swap is not signed, the order ends at once. Otherwise, a transaction that does nothing
 * competes with the swap, and the chain decides between them. Repeating the cancellation changes nothing. Cancelling a
 * child cancels its resting order, which would otherwise place another child.
 *
 * Records the cancellation before it reads the order, because executeOrders writes orders and could claim that this one
 * is no longer open. From then on, the signer signs only clears, and every run on the lane cancels the order if this
 * one cannot. The record never expires: when it is written, nobody knows how long its order may live.
 */
export function* cancelling(userID: string, orderId: string): Procedure<CancelAnswer> {
  yield* noteCancellation(userID, orderId);
  const found = yield* perform({ do: "readOrder", userID, orderId });
  if (found.order === undefined) return yield* cancellingResting(userID, orderId);
  const parentId = found.order.intent.parent?.orderId;
  if (parentId === undefined) return yield* cancellingNoted(userID, orderId, found);
  yield* noteCancellation(userID, parentId);
  const answer = yield* cancellingResting(userID, parentId);
  return "resting" in answer ? answer : yield* cancellingNoted(userID, orderId);
}

function* noteCancellation(userID: string, orderId: string): Procedure<void> {
  const item = { userID, orderId };
  yield* perform({ do: "write", step: [{ kind: "put", of: "cancellation", item }] });
}

/**
 * Cancels an order whose cancellation is recorded.
 *
 * @param known The order as just read. Undefined if it was not read yet.
 */
function* cancellingNoted(
  userID: string,
  orderId: string,
  known?: Effects["readOrder"]["answer"],
): Procedure<CancelAnswer> {
  const nowMs = yield* perform({ do: "now" });
  for (let tries = 1; ; tries++) {
    const found = (tries === 1 && known) || (yield* perform({ do: "readOrder", userID, orderId }));
    const { order, slots } = found;
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
 * Cancels a resting order whose cancellation is recorded, and its children. It ends at once if none is out. Otherwise
 * fireOrders ends it, once it is certain whether a child has filled. fireOrders also says when its children have settled.
 *
 * @param known The order as just read. Undefined if it was not read yet.
 */
function* cancellingResting(userID: string, orderId: string, known?: StoredResting): Procedure<CancelAnswer> {
  const nowMs = yield* perform({ do: "now" });
  for (let tries = 1; ; tries++) {
    const order = (tries === 1 && known) || (yield* perform({ do: "readParent", userID, orderId }));
    if (order === undefined) return { refused: "ORDER_NOT_FOUND" };
    const status = statusOf(order);
    if (status === "cancelled") return { resting: order };
    if (!mayStillFill(order)) return { refused: "ORDER_NOT_CANCELLABLE", status };
    const isSettled = order.n === 0;
    const end = { nowMs, isCancelled: true, isRetired: false, isVoid: false, isSettled };
    const cancelled = storedAfter(
      order,
      afterSights(order, () => ({ is: "out" }), end),
      order.facts,
      nowMs,
    );
    const step = restingStep(cancelled, order);
    const isWritten = order.isCancelling || (yield* perform({ do: "write", step }));
    if (!isWritten && tries < maxTries) continue;
    for (const child of order.out) {
      yield* noteCancellation(userID, child.orderId);
      yield* cancellingNoted(userID, child.orderId);
    }
    return { resting: isWritten ? cancelled : order };
  }
}

/** An open order, or one that rests. */
export type FoundOrder = AnyOrder | StoredResting;

/** Lists open orders with those that rest, but without their children, which are cancelled with them. */
export function besideParents(
  orders: readonly AnyOrder[],
  parents: readonly StoredResting[],
): readonly FoundOrder[] {
  const ids = new Set(parents.map(({ mandate }) => mandate.orderId));
  return [...orders.filter(({ intent }) => !ids.has(intent.parent?.orderId ?? "")), ...parents];
}

/** Cancels one of the orders that were found, as `cancelling` does. */
export function* cancellingFound(found: FoundOrder): Procedure<void> {
  if ("intent" in found) {
    yield* cancelling(found.intent.userID, found.intent.orderId);
    return;
  }
  const { userID, orderId } = found.mandate;
  yield* noteCancellation(userID, orderId);
  yield* cancellingResting(userID, orderId, found);
}

/**
 * Cancels all orders in the scope that were placed earlier. A single write decides, and from then on the signer signs
 * only clears for them.
 *
 * Returns the open orders and the resting ones, but not the children of resting orders. The caller cancels each of
 * them: the clock of its placing may have been ahead, and its lane must learn of the cancellation.
 */
export function* cuttingOff(scope: CutoffScope): Procedure<readonly FoundOrder[]> {
  const nowMs = yield* perform({ do: "now" });
  const isRaised = yield* perform({ do: "write", step: [raisedTo(scope, nowMs)] });
  if (!isRaised) yield* perform({ do: "write", step: [raisedByOne(scope)] });
  const orders = yield* perform({ do: "readOpenOrders", scope });
  const resting = yield* perform({ do: "readResting", scope });
  return besideParents(orders, resting.filter(mayStillFill));
}

/** Leaves slots that are only planned to the lane's next run, which removes them. */
function cancelledOrder(order: AnyOrder, slots: readonly SlotTerms[], nowMs: number): AnyOrder {
  if (hasSignedSwap(order, slots)) return changed(order, beingCancelled(order), nowMs);
  const ending = cancelledByUser;
  return changed(order, { ending, life: lifeAfter(order.life, ending) }, nowMs);
}
