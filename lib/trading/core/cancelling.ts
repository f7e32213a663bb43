import { type Procedure, perform } from "./effects.ts";
import type { Slot } from "./evm/slot.ts";
import { type TradeStep, unchanged } from "./table-step.ts";
import { changed, hasEnded, type Life, lifeOf, swapSlotOf, type TradeOrder } from "./trade-order.ts";

export type CancelAnswer =
  | { order: TradeOrder }
  | { refused: "ORDER_NOT_FOUND" | "busy" }
  | { refused: "ORDER_NOT_CANCELLABLE"; status: Life["status"] };

const maxTries = 5;

/** The cancellation is kept for this long after the order's deadline, so that the signer still sees it. */
const keptSeconds = 86_400;

/**
 * Cancels an order: at once while its swap is not signed. After that, an empty transaction competes for the nonce, and
 * the chain decides. Repeating the cancellation changes nothing.
 */
export function* cancelling(userID: string, orderId: string): Procedure<CancelAnswer> {
  for (let tries = 0; tries < maxTries; tries++) {
    const { order, slots } = yield* perform({ do: "readOrder", userID, orderId });
    if (order === undefined) return { refused: "ORDER_NOT_FOUND" };
    if (order.life.status === "cancelled" || (order.isCancelling && !hasEnded(order))) return { order };
    if (hasEnded(order)) return { refused: "ORDER_NOT_CANCELLABLE", status: order.life.status };
    const nowMs = yield* perform({ do: "now" });
    const { cancelled, step } = cancelStep(order, slots, nowMs);
    if (!(yield* perform({ do: "write", step }))) continue;
    yield* perform({ do: "wake", lane: order.intent });
    return { order: cancelled };
  }
  return { refused: "busy" };
}

function cancelStep(
  order: TradeOrder,
  slots: readonly Slot[],
  nowMs: number,
): { cancelled: TradeOrder; step: TradeStep } {
  const swap = swapSlotOf(order, slots);
  const planned = slots.filter(({ state }) => state === "planned");
  const isSigned = swap !== undefined && swap.state !== "planned";
  const cancelled = isSigned
    ? changed(order, { isCancelling: true, life: { ...order.life, stage: "cancelling" } }, nowMs)
    : endedBy(order, slots, nowMs);
  return {
    cancelled,
    step: [
      { kind: "put", of: "order", item: cancelled, when: unchanged(order) },
      {
        kind: "put",
        of: "cancellation",
        item: { orderId: order.intent.orderId, expiresAt: order.intent.validUntil + keptSeconds },
      },
      // Fails a signature that is made at the same time.
      ...planned.map(
        (item) => ({ kind: "remove", of: "slot", item, when: { revision: item.revision } }) as const,
      ),
    ],
  };
}

function endedBy(order: TradeOrder, slots: readonly Slot[], nowMs: number): TradeOrder {
  const ending = { status: "cancelled", reasonCode: "CANCELLED_BY_USER" } as const;
  const life = lifeOf({ ...order, ending }, slots, [undefined, undefined]);
  return changed(order, { ending, life }, nowMs);
}
