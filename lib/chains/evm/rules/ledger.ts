import type { IntentTerms } from "../../../orders/intent.ts";
import { type Ledger, ledgerTerms } from "../../../orders/table-step.ts";
import type { SignedNonce } from "./death.ts";
import type { Evm } from "./family.ts";
import type { SwapCall } from "./intent.ts";
import type { EvmSlot } from "./slot.ts";

/** An order's swap in the signer's ledger, with its call. */
export type SignedSwap = SignedNonce & { call: SwapCall };

/** Creates the ledger of an order. Its terms come from the intent, so readers of the ledger can trust them. */
export const emptyEvmLedger = (intent: IntentTerms): Ledger<Evm> => ({
  ...ledgerTerms(intent),
  approveNonces: [],
  fees: {},
  revision: 0,
});

/** True if the ledger shows that the signer has signed for the slot. */
export const isEvmEntered = ({ fees }: Evm["signed"], { place }: Pick<EvmSlot, "place">): boolean =>
  Object.hasOwn(fees, String(place));

export const hasEvmSwap = ({ swap }: Evm["signed"]): boolean => swap !== undefined;

/** Returns the swap of a child with all that was signed at its nonce. Undefined if none is signed. */
export function signedNonceOf({ swap, signatures = [] }: Evm["signed"]): SignedSwap | undefined {
  if (swap === undefined) return undefined;
  const { nonce, call } = swap;
  const hashesOf = (wanted: "swap" | "clear") =>
    signatures.flatMap((each) => (each.nonce === nonce && each.purpose === wanted ? [each.hash] : []));
  return { nonce, call, deadline: call.deadline, swaps: hashesOf("swap"), clears: hashesOf("clear") };
}
