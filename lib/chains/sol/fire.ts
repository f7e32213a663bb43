import type { FiringFamily } from "../../orders/resting/firing.ts";
import { type MessageWord, type SignedMessages, sightOfMessages } from "./rules/child-sight.ts";

/** Fires resting orders on Solana. A take-profit and a stop may be out at once, because they share a marker. */
export const solFiring: FiringFamily<SignedMessages, MessageWord> = {
  isOneOut: false,
  sightOf: ({ child, view: { signed, isSettled }, nowMs }, words) =>
    sightOfMessages(child, signed?.swap, words, { isSettled, nowMs }),
};
