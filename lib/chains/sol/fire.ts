import type { ChildView, FiringFamily } from "../../orders/resting/firing.ts";
import { usualLifeSeconds } from "../../orders/resting/times.ts";
import { type MessageWord, type SignedMessages, sightOfMessages } from "./rules/child-sight.ts";
import type { Sol } from "./rules/family.ts";
import { signedMessagesOf } from "./rules/ledger.ts";

/** Returns the messages of a child that the ledgers of its order show. No swap is signed after the deadline. */
export function signedBySol(
  ledger: Sol["signed"],
  siblings: readonly Sol["signed"][],
): ChildView<SignedMessages>["signed"] {
  const swap = signedMessagesOf(ledger, siblings);
  const signedAtMs = ledger.swapSignedAtMs ?? 0;
  return swap && { swap, deadline: Math.ceil(signedAtMs / 1000) + usualLifeSeconds };
}

/** Fires resting orders on Solana. A take-profit and a stop may be out at once, because they share a marker. */
export const solFiring: FiringFamily<SignedMessages, MessageWord> = {
  isOneOut: false,
  sightOf: ({ child, view: { signed }, nowMs }, words) => sightOfMessages(child, signed?.swap, words, nowMs),
};
