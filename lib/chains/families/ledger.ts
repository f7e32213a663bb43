import { familyOf } from "../../core/chain-facts.ts";
import type { FamilyTypes, SlotTerms } from "../../orders/family.ts";
import type { Ledger } from "../../orders/table-step.ts";
import { isEvmEntered } from "../evm/rules/ledger.ts";
import { isSolEntered } from "../sol/rules/ledger.ts";
import type { Family } from "./family.ts";

type LedgerRules = {
  isEntered(ledger: FamilyTypes["signed"], slot: FamilyTypes["slot"]): boolean;
};

const families: Readonly<Record<Family, LedgerRules>> = {
  evm: { isEntered: isEvmEntered },
  sol: { isEntered: isSolEntered },
};

/** True if a ledger shows that the signer has signed for the slot. */
export const isEnteredIn = (ledger: Ledger, slot: SlotTerms): boolean =>
  families[familyOf(ledger.chain)].isEntered(ledger, slot);
