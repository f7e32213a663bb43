import type { Evm } from "../../../../../lib/chains/evm/rules/family.ts";
import type { SwapCall, UnsignedEvmTransaction } from "../../../../../lib/chains/evm/rules/intent.ts";
import { emptyEvmLedger } from "../../../../../lib/chains/evm/rules/ledger.ts";
import { objectionToTransaction } from "../../../../../lib/chains/evm/rules/signing-rules.ts";
import type { SigningView } from "../../../../../lib/orders/effects.ts";
import type { Ledger } from "../../../../../lib/orders/table-step.ts";
import { intent, signingView, slot, transaction } from "../../../../support/trading.ts";

export const nowMs = Date.parse("2026-11-21T20:00:00.000Z");
export const swap = slot().call as SwapCall;
export const { fees } = slot();

/** Returns the objection to a transaction. By default, it is a valid swap. */
export const objection = (
  changes: Partial<UnsignedEvmTransaction> = {},
  view: Partial<SigningView<Evm>> = {},
  { isGenuine = true, atMs = nowMs } = {},
) => objectionToTransaction(transaction(changes), signingView(view), isGenuine, atMs);

export const ledger = (changes: Partial<Ledger<Evm>> = {}): Ledger<Evm> => ({
  ...emptyEvmLedger(intent()),
  revision: 1,
  ...changes,
});
