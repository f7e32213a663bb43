import type { IntentTerms } from "../../../orders/intent.ts";
import { type Ledger, ledgerTerms } from "../../../orders/table-step.ts";
import type { SignedMessages } from "./child-sight.ts";
import type { SignedMessage, Sol } from "./family.ts";

/** Creates the ledger of an order. */
export const emptySolLedger = (intent: IntentTerms): Ledger<Sol> => ({
  ...ledgerTerms(intent),
  messages: [],
  revision: 0,
});

/** True if a ledger shows that the signer has signed for the slot. */
export const isSolEntered = ({ messages }: Sol["signed"]): boolean => messages.length > 0;

export const hasSolSwap = ({ messages }: Sol["signed"]): boolean => messages.some(isSwap);

/**
 * Returns the messages of a child, and those of the order's other children. Undefined if no swap of it is signed.
 *
 * @param siblings The ledgers of the other children.
 */
export function signedMessagesOf(
  { messages }: Sol["signed"],
  siblings: readonly Sol["signed"][],
): SignedMessages | undefined {
  const own = messages.filter(isSwap);
  if (own.length === 0) return undefined;
  const others = siblings.flatMap((each) => each.messages);
  return {
    own: own.map(sent),
    siblings: others.filter(isSwap).map(({ hash }) => hash),
    clears: [...messages, ...others].filter((each) => !isSwap(each)).map(sent),
  };
}

const sent = ({ hash, lastValidBlockHeight = 0 }: SignedMessage) => ({
  signature: hash,
  lastHeight: lastValidBlockHeight,
});

const isSwap = ({ purpose }: SignedMessage): boolean => purpose === "swap";
