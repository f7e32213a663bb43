import type { SignedMessage, Sol } from "../../chains/sol/rules/family.ts";
import type { SolIntent } from "../../chains/sol/rules/intent.ts";
import type { ShownSolAttempt } from "../../chains/sol/rules/shown-details.ts";
import { lastValidOf, type SolSlot } from "../../chains/sol/rules/slot.ts";
import type { Lamports } from "../../core/units.ts";
import { coinText } from "../../orders/decimal-text.ts";
import type { HiddenFacts } from "./hidden-facts.ts";

const solText = (lamports: Lamports) => `${coinText("sol", lamports)} SOL`;

/** Facts of an intent on sol that clients do not see. */
const solIntentFacts = ({ routes, tokenProgram, budgetLamports }: SolIntent) => ({
  routes: routes.map((route) => ("pool" in route ? `${route.venue} ${route.pool}` : route.venue)).join(", "),
  tokenProgram,
  budget: `${solText(budgetLamports)} for priority and tips`,
});

const solSlotFacts = ({ state, attempts, receipts, isUndelivered, revision }: SolSlot) => ({
  state,
  lastValidBlockHeight: lastValidOf({ attempts }),
  isUndelivered,
  receipts: receipts
    .map(({ status, block, hash, fee }) => `${status} in slot ${block.number}, paid ${solText(fee)}: ${hash}`)
    .join(", "),
  revision,
});

/** Fees of a transaction with their unit. Clients do not get these fees. */
export const solFees = ({ priorityFee, tip }: Pick<ShownSolAttempt, "priorityFee" | "tip">) => ({
  priorityFee: `${priorityFee} SOL`,
  tip: `${tip} SOL`,
});

/** Describes a transaction that the signer has signed for an order on sol. */
const messageFacts = (messages: readonly SignedMessage[]): Record<string, string> =>
  Object.fromEntries(
    messages.map(({ purpose, hash, mostFeeLamports }, index) => [
      `message ${index + 1}`,
      `${purpose} ${hash}, at most ${solText(mostFeeLamports)}`,
    ]),
  );

/** Facts of orders on sol that clients do not see. */
export const solOrderFacts: HiddenFacts<Sol> = {
  blockWord: "slot",
  intentFacts: ({ intent }) => solIntentFacts(intent),
  slotFacts: solSlotFacts,
  ledgerFacts: ({ messages }) => messageFacts(messages),
  linesOf: ({ orderId, userID, messages }) =>
    Object.values(messageFacts(messages)).map((text) => ({
      nonce: 0,
      orderId,
      text: `${text}  order ${orderId} of ${userID}`,
    })),
};
