import type { IntentTerms } from "../../../orders/intent.ts";
import { type Ledger, ledgerTerms } from "../../../orders/table-step.ts";
import type { Sol } from "./family.ts";

/** Creates the ledger of an order. */
export const emptySolLedger = (intent: IntentTerms): Ledger<Sol> => ({
  ...ledgerTerms(intent),
  messages: [],
  revision: 0,
});

/** True if a ledger shows that the signer has signed for the slot. */
export const isSolEntered = ({ messages }: Sol["signed"]): boolean => messages.length > 0;
