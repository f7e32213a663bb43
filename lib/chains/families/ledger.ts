import { familyOf } from "../../core/chain-facts.ts";
import type { FamilyTypes, SlotTerms } from "../../orders/family.ts";
import type { Ledger } from "../../orders/table-step.ts";
import { hasEvmSwap, isEvmEntered } from "../evm/rules/ledger.ts";
import { hasSolSwap, isSolEntered } from "../sol/rules/ledger.ts";
import type { Family } from "./family.ts";

type LedgerRules = {
  isEntered(ledger: FamilyTypes["signed"], slot: FamilyTypes["slot"]): boolean;
  hasSwap(ledger: FamilyTypes["signed"]): boolean;
};

const families: Readonly<Record<Family, LedgerRules>> = {
  evm: { isEntered: isEvmEntered, hasSwap: hasEvmSwap },
  sol: { isEntered: isSolEntered, hasSwap: hasSolSwap },
};

/** True if a ledger shows that the signer has signed for the slot. */
export const isEnteredIn = (ledger: Ledger, slot: SlotTerms): boolean =>
  families[familyOf(ledger.chain)].isEntered(ledger, slot);

/** True if a ledger shows that the signer has signed a swap of the order. */
export const hasSwap = (ledger: Ledger): boolean => families[familyOf(ledger.chain)].hasSwap(ledger);
