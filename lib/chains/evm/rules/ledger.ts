import type { IntentTerms } from "../../../orders/intent.ts";
import { type Ledger, ledgerTerms } from "../../../orders/table-step.ts";
import type { Evm } from "./family.ts";
import type { EvmSlot } from "./slot.ts";

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
