import type { ReasonCode } from "../../../orders/execution.ts";
import {
  cancelledByUser,
  endedProgress,
  type Life,
  openProgress,
  type Progress,
  slotsOf,
  type TradeOrder,
} from "../../../orders/trade-order.ts";
import type { Evm } from "./family.ts";
import { bothAnswered, type EvmSnapshots, isPast } from "./host-snapshot.ts";
import { type EvmSlot, minedAttempt, swapResultOf } from "./slot.ts";

/** Returns the slot of the order's swap. */
export const swapSlotOf = (
  { intent, swapNonce }: TradeOrder<Evm>,
  slots: readonly EvmSlot[],
): EvmSlot | undefined =>
  slots.find(({ orderId, place }) => orderId === intent.orderId && place === swapNonce);

/** Returns the time after which no block can fill the order, in seconds. A child's swap has a deadline of its own. */
export function fillDeadline(order: TradeOrder<Evm>, slots: readonly EvmSlot[]): number {
  const swap = swapSlotOf(order, slots);
  return swap?.call.purpose === "swap" && swap.state !== "planned"
    ? swap.call.deadline
    : order.intent.validUntil;
}

/** True if no later block can fill the order. If a host does not answer, the previous state remains. */
const isLate = (order: TradeOrder<Evm>, slots: readonly EvmSlot[], snapshots: EvmSnapshots) =>
  bothAnswered(snapshots) ? isPast(fillDeadline(order, slots), snapshots) : order.life.status === "expired";

/** Derives the order's life from its slots. The result is provisional until the slots are final. */
export function evmLifeOf(order: TradeOrder<Evm>, slots: readonly EvmSlot[], snapshots: EvmSnapshots): Life {
  const own = slotsOf(order, slots);
  const swap = swapSlotOf(order, own);
  const mined = swap && minedAttempt(swap)?.purpose === "swap" ? swap.receipt : undefined;
  const newest = swap?.attempts.findLast(({ purpose }) => purpose === "swap");
  const txHash = mined?.hash ?? newest?.hash;
  const result = swap && swapResultOf(swap);
  return {
    ...(progressOf(order, own, snapshots) ?? order.life),
    settled: false,
    networkFee: own.reduce((sum, { receipt }) => sum + (receipt?.fee ?? 0n), 0n),
    spent: result?.spent ?? 0n,
    ...(result && { received: result.received }),
    ...(txHash !== undefined && { txHash }),
  };
}

function progressOf(order: TradeOrder<Evm>, own: readonly EvmSlot[], snapshots: EvmSnapshots): Progress {
  const { ending, life } = order;
  if (ending !== undefined) return endedProgress(ending.status, ending.reasonCode);
  const swap = swapSlotOf(order, own);
  const slot = swap ?? own.find((approval) => approval.state !== "mined" || !isApproved(approval));
  switch (slot?.state) {
    case undefined:
    case "planned": {
      // Also covers an approval that was mined too late for the swap.
      if (life.status === "expired" && isLate(order, own, snapshots))
        return endedProgress("expired", life.reasonCode);
      const isWaiting = life.status === "open" && life.stage === "waiting";
      return isWaiting ? openProgress("waiting", life.reasonCode) : openProgress("queued");
    }
    case "signed": {
      if (isLate(order, own, snapshots)) return endedProgress("expired", reasonOfExpiry(order));
      const stage = order.isCancelling ? "cancelling" : slot === swap ? "sent" : "approving";
      const failure = failureOf(slot);
      if (failure !== undefined) return openProgress(order.isCancelling ? stage : "waiting", failure);
      const isAway = snapshots.every((snapshot) => snapshot === undefined);
      return openProgress(stage, isAway ? "CHAIN_UNAVAILABLE" : undefined);
    }
    case "taken":
      if (order.isCancelling) return cancelled;
      return order.yields ? endedProgress("expired", "YIELDED") : endedProgress("rejected", "NONCE_TAKEN");
    case "mined":
      return minedProgress(order, slot);
  }
}

const cancelled = endedProgress(cancelledByUser.status, cancelledByUser.reasonCode);

/** Returns why nobody accepted the newest attempt. Undefined if somebody did. */
function failureOf({ isUndelivered, refusal, isPrivate, attempts }: EvmSlot): ReasonCode | undefined {
  if (!isUndelivered) return undefined;
  if (refusal === "underpriced") return "GAS_PRICE_TOO_HIGH";
  if (refusal === "unfunded") return "INSUFFICIENT_BALANCE";
  return isPrivate && attempts.at(-1)?.purpose !== "clear" ? "RELAY_UNAVAILABLE" : "CHAIN_UNAVAILABLE";
}

/** If an order waited until its end, keeps the reason why it waited, even while its nonce is freed. */
const reasonOfExpiry = ({ yields, life: { status, stage, reasonCode } }: TradeOrder<Evm>): ReasonCode =>
  yields
    ? "YIELDED"
    : ((status === "expired" || stage === "waiting" ? reasonCode : undefined) ?? "NOT_INCLUDED");

const isApproved = (slot: EvmSlot) =>
  minedAttempt(slot)?.purpose === "approve" && slot.receipt?.status === "ok";

function minedProgress(order: TradeOrder<Evm>, slot: EvmSlot): Progress {
  const { receipt } = slot;
  if (minedAttempt(slot)?.purpose === "clear")
    return order.isCancelling ? cancelled : endedProgress("expired", reasonOfExpiry(order));
  if (receipt?.status === "ok") return endedProgress("filled");
  return endedProgress("rejected", receipt?.isSlippage ? "SLIPPAGE_EXCEEDED" : "REVERTED");
}
