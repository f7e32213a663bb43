import {
  afterDeadlineMs,
  type DeathProof,
  type FoundFill,
  retryMs,
  type SlotRules,
} from "../../../orders/slot-rules.ts";
import { hasEnded, slotsOf, type TradeOrder } from "../../../orders/trade-order.ts";
import { solDetails } from "./details.ts";
import type { Sol } from "./family.ts";
import { effectiveAttempt, lastValidOf, type SolSlot, successOf } from "./slot.ts";

/** Rules for the slots of an order on Solana. Each order has one slot. */
export const solSlots: SlotRules<Sol> = {
  sightOf: (slot) => ({ receipt: successOf(slot) }),
  fillIn,
  // A message may be in any block, whatever one host says.
  lowestPlace: () => 0,
  dueMs,
  mayWait: () => false,
  detailsOf: solDetails,
  deaths: {
    signedIn: ({ messages, validUntil }) =>
      messages.some(({ purpose }) => purpose === "swap") ? { deadline: validUntil } : undefined,
    hashesIn: ({ messages }) => messages.map(({ hash }) => hash),
    endOf,
  },
};

function endOf(slots: readonly SolSlot[]): DeathProof {
  const receipts = slots.flatMap((slot) => slot.receipts);
  const [receipt] = receipts.toSorted((a, b) => b.status.localeCompare(a.status));
  if (receipt === undefined) return { how: "unused", block: Math.max(0, ...slots.map(lastValidOf)) };
  return { how: receipt.status === "ok" ? "cleared" : "failed", block: receipt.block.number };
}

function fillIn(slot: SolSlot): FoundFill | undefined {
  const receipt = effectiveAttempt(slot)?.purpose === "swap" ? successOf(slot) : undefined;
  if (receipt === undefined) return undefined;
  const { spent, received, held, block } = receipt;
  return { place: block.number, spent, received, held, timeSeconds: block.time };
}

/** Interval at which pending messages are sent again, because leaders may have dropped them. */
const resendMs = 2000;

/**
 * Age of a message after which its lane runs less often. If a message this old is in no block, the cluster has halted,
 * or hosts show the order's marker but no longer know its outcome. Neither ends soon.
 */
const old = { ageMs: 10 * 60_000, resendMs: 60_000 };

function dueMs(order: TradeOrder<Sol>, slots: readonly SolSlot[], nowMs: number): number[] {
  const endMs = order.intent.validUntil * 1000 + afterDeadlineMs;
  const [slot] = slotsOf(order, slots);
  switch (slot?.state) {
    case undefined:
      return hasEnded(order) ? [] : [endMs, nowMs + retryMs];
    case "signed": {
      const signedMs = slot.attempts.at(-1)?.signedAtMs ?? nowMs;
      return [nowMs + (nowMs - signedMs < old.ageMs ? resendMs : old.resendMs)];
    }
    case "lapsed":
      return [nowMs + retryMs];
    case "mined":
      return [];
  }
}
