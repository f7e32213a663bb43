import type { EvmChain } from "../../core/chain-facts.ts";
import type { ChildView, FiringFamily } from "../../orders/resting/firing.ts";
import { deathOf, fillBlockOf, hasFilled, type NonceWord, type SignedNonce } from "./rules/death.ts";
import type { Evm } from "./rules/family.ts";
import { type SignedSwap, signedNonceOf } from "./rules/ledger.ts";

/** Returns the swap of a child that its ledger shows. */
export function signedByEvm(ledger: Evm["signed"]): ChildView<SignedSwap>["signed"] {
  const swap = signedNonceOf(ledger);
  return swap && { swap, deadline: swap.deadline };
}

/**
 * Fires resting orders on EVM chains. A child is dead only if executeOrders has recorded so, and fireOrders sees the
 * proof at both hosts itself. Then neither of them, taken over alone, makes an order fill twice.
 */
export const evmFiring: FiringFamily<SignedNonce, NonceWord> = {
  isOneOut: true,
  sightOf({ chain, child, view, nowMs }, words) {
    const { signed, isProvenDead, yields } = view;
    if (words.includes(undefined)) return { is: "unclear" };
    if (signed === undefined) {
      const isPast = words.every((word) => word !== undefined && word.head.time > child.validUntil);
      return isPast && nowMs > child.validUntil * 1000 ? { is: "dead", outcome: "unsent" } : { is: "out" };
    }
    const block = fillBlockOf(signed.swap, words);
    if (block !== undefined) return { is: "filled", block: block.hash };
    // The host that lacks the fill may only be behind.
    if (words.some((word) => word !== undefined && hasFilled(signed.swap, word))) return { is: "unclear" };
    const death = isProvenDead ? deathOf(chain as EvmChain, signed.swap, words) : undefined;
    if (death === undefined) return { is: "out" };
    if (yields) return { is: "dead", outcome: "yielded", isProven: true };
    return { is: "dead", outcome: death.how === "failed" ? "failed" : "lapsed", isProven: true };
  },
};
