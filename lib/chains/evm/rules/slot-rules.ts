import type { EvmChain } from "../../../core/chain-facts.ts";
import { afterDeadlineMs, type FoundFill, retryMs, type SlotRules } from "../../../orders/slot-rules.ts";
import { hasEnded, slotsOf, type TradeOrder } from "../../../orders/trade-order.ts";
import { deathOf, type NonceWords, type SignedNonce } from "./death.ts";
import { evmDetails } from "./details.ts";
import type { Evm } from "./family.ts";
import { bumpDueMs, clearPreset } from "./fee-bumps.ts";
import { signedNonceOf } from "./ledger.ts";
import { fillDeadline } from "./order-life.ts";
import { type EvmSlot, isToJudge, newestAttempt, swapResultOf } from "./slot.ts";

/** Rules for the slots of an order on EVM chains. Each slot is a nonce. */
export const evmSlots: SlotRules<Evm> = {
  sightOf: ({ receipt, takenIn }) => ({ receipt, takenIn }),
  fillIn,
  lowestPlace: ({ place }) => place,
  dueMs,
  mayWait: ({ gasPreset }) => gasPreset === "slow",
  detailsOf: evmDetails,
  deaths: {
    signedIn: signedNonceOf,
    hashesIn: ({ signatures = [] }) => signatures.map(({ hash }) => hash),
    proofIn(chain, signed: SignedNonce, words: NonceWords) {
      const death = deathOf(chain as EvmChain, signed, words);
      return death && { how: death.how, block: death.block.number };
    },
  },
};

function fillIn(slot: EvmSlot): FoundFill | undefined {
  const { place, held } = slot;
  const result = swapResultOf(slot);
  if (result === undefined) return undefined;
  const { spent, received, receipt } = result;
  const timeSeconds = receipt.block.time;
  return { place, spent, received, timeSeconds, ...(held !== undefined && { held }) };
}

function dueMs(order: TradeOrder<Evm>, slots: readonly EvmSlot[], nowMs: number): number[] {
  const { intent } = order;
  const endMs = fillDeadline(order, slots) * 1000 + afterDeadlineMs;
  const front = slots.find(({ orderId, state }) => orderId === intent.orderId && state === "signed");
  const soonMs = nowMs + retryMs;
  const isUnjudged = slotsOf(order, slots).some((slot) => isToJudge(slot, nowMs));
  if (front === undefined) return hasEnded(order) ? (isUnjudged ? [soonMs] : []) : [endMs, soonMs];
  const newest = newestAttempt(front);
  const sentMs = newest?.sentAtMs ?? newest?.signedAtMs ?? nowMs;
  const preset = newest?.purpose === "clear" ? clearPreset : intent.gasPreset;
  // Frees a nonce only after the first block that is later than the deadline.
  const isSoon = hasEnded(order)
    ? front.refusal === "underpriced"
    : front.isUndelivered === true || (nowMs >= endMs && newest?.purpose !== "clear");
  const bumpMs = front.isUndelivered ? [] : [bumpDueMs(preset, sentMs)];
  return [endMs, ...bumpMs, ...(isSoon ? [soonMs] : [])].filter(Number.isFinite);
}
