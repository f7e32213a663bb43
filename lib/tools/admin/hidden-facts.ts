import type { FamilyTypes } from "../../orders/family.ts";
import type { Ledger } from "../../orders/table-step.ts";
import type { TradeOrder } from "../../orders/trade-order.ts";

/** A transaction that the signer has signed. */
export type SignedLine = {
  /** Nonce of the transaction, 0 on sol. */
  nonce: number;
  orderId: string;
  text: string;
};

/** Facts that clients do not see, with labels for operators. */
export type HiddenFacts<F extends FamilyTypes = FamilyTypes> = {
  /** Word that reports use for a block. */
  blockWord: string;
  intentFacts(order: TradeOrder<F>): object;
  slotFacts(slot: F["slot"]): object;
  ledgerFacts(ledger: Ledger<F>): object;
  /**
   * Lists signed transactions.
   * @param from First nonce to list, or NaN for all.
   */
  linesOf(ledger: Ledger<F>, from: number): SignedLine[];
};
