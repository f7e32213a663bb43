import type { Lamports } from "../../../core/units.ts";
import type { ReasonCode } from "../../../orders/execution.ts";
import type { LaneState } from "../../../orders/lane-core.ts";
import {
  cancelledByUser,
  endedProgress,
  type Life,
  openProgress,
  type Progress,
  slotsOf,
  type TradeOrder,
  unstarted,
} from "../../../orders/trade-order.ts";
import { attemptsOf } from "./attempts.ts";
import type { Sol } from "./family.ts";
import type { SolSnapshots } from "./host-snapshot.ts";
import { lastSigningMs, siblingSlotsOf } from "./siblings.ts";
import { countOf, effectiveAttempt, haveMarked, isMarked, type SolSlot, successOf } from "./slot.ts";

type SolOrder = TradeOrder<Sol>;

/** Returns the order's only slot, which contains all its messages. */
export const slotOfOrder = (order: SolOrder, slots: readonly SolSlot[]): SolSlot | undefined =>
  slotsOf(order, slots)[0];

/**
 * True if no more messages that fill the order may be signed. An expired order stays expired, because clocks differ.
 */
export const isTooLate = (order: SolOrder, nowMs: number, slot: SolSlot | undefined): boolean =>
  order.life.status === "expired" || nowMs >= lastSigningMs(order, slot);

/** Derives the order's life from its slot. The result is provisional until the slot is final. */
export function solLifeOf(
  order: SolOrder,
  slots: readonly SolSlot[],
  { snapshots, nowMs, view: { orders } }: Pick<LaneState<Sol>, "snapshots" | "nowMs" | "view">,
): Life {
  const slot = slotOfOrder(order, slots);
  const isReplaced = haveMarked(siblingSlotsOf(order, orders, slots), snapshots);
  const progress = progressOf(order, slot, { snapshots, nowMs, isReplaced });
  if (slot === undefined) return { ...unstarted, ...progress };
  const isFilled = effectiveAttempt(slot)?.purpose === "swap";
  const fill = isFilled ? successOf(slot) : undefined;
  const newest = slot.attempts.findLast(({ purpose }) => purpose === "swap");
  const rent = sum(slot, (receipt) => receipt.rent);
  const txHash = fill?.hash ?? newest?.hash;
  return {
    ...progress,
    settled: false,
    networkFee: sum(slot, (receipt) => receipt.fee),
    ...(rent > 0n && { rent }),
    spent: fill?.spent ?? 0n,
    ...(fill && { received: fill.received }),
    ...(txHash !== undefined && { txHash }),
  };
}

const sum = ({ receipts }: SolSlot, of: (receipt: SolSlot["receipts"][number]) => Lamports): Lamports =>
  receipts.reduce((total, receipt) => total + of(receipt), 0n);

function progressOf(
  order: SolOrder,
  slot: SolSlot | undefined,
  { snapshots, nowMs, isReplaced }: { snapshots: SolSnapshots; nowMs: number; isReplaced: boolean },
): Progress {
  const { ending, life, isCancelling } = order;
  if (ending !== undefined) return endedProgress(ending.status, ending.reasonCode);
  switch (slot?.state) {
    case undefined:
      return unsent(life);
    case "mined":
      if (effectiveAttempt(slot)?.purpose === "swap") return endedProgress("filled");
      return isCancelling ? cancelled : endedProgress("expired", reasonOfExpiry(life));
    case "lapsed": {
      if (isCancelling) return cancelled;
      if (isReplaced) return endedProgress("expired", "REPLACED");
      const failed = failureIn(slot);
      if (failed !== undefined) return endedProgress("rejected", failed);
      const isOver = isTooLate(order, nowMs, slot) || countOf(slot, "swap") >= attemptsOf(order.intent);
      return isOver ? endedProgress("expired", reasonOfExpiry(life)) : unsent(life);
    }
    case "signed": {
      const stage = isCancelling ? "cancelling" : "sent";
      const failure = undeliveredReason(slot);
      if (failure !== undefined) return openProgress(isCancelling ? stage : "waiting", failure);
      const isAway = snapshots.every((snapshot) => snapshot === undefined);
      return openProgress(stage, isAway ? "CHAIN_UNAVAILABLE" : undefined);
    }
  }
}

const cancelled = endedProgress(cancelledByUser.status, cancelledByUser.reasonCode);

const unsent = (life: Life): Progress =>
  life.status === "open" && life.stage === "waiting"
    ? openProgress("waiting", life.reasonCode)
    : openProgress("queued");

/** Returns why the order's messages failed, if one of them is in a block. */
const failureIn = ({ receipts }: SolSlot): ReasonCode | undefined => {
  const failed = receipts.find((receipt) => receipt.status === "failed");
  if (failed === undefined) return undefined;
  if (failed.isUnfunded) return "INSUFFICIENT_BALANCE";
  return failed.isSlippage ? "SLIPPAGE_EXCEEDED" : "REVERTED";
};

/** Returns the reason why nobody accepted the newest message. Undefined if somebody did. */
function undeliveredReason({ isUndelivered, isPrivate, attempts }: SolSlot): ReasonCode | undefined {
  if (!isUndelivered) return undefined;
  return isPrivate && attempts.at(-1)?.purpose !== "clear" ? "RELAY_UNAVAILABLE" : "CHAIN_UNAVAILABLE";
}

/** If an order waited until its end, keeps the reason why it waited. */
const reasonOfExpiry = ({ status, stage, reasonCode }: Life): ReasonCode =>
  (status === "expired" || stage === "waiting" ? reasonCode : undefined) ?? "NOT_INCLUDED";

/** True if no further message may be signed for a slot, because one of its messages may have made the marker. */
export const isDecided = (slot: SolSlot, snapshots: SolSnapshots): boolean =>
  slot.state === "mined" || slot.receipts.length > 0 || isMarked(slot, snapshots);
