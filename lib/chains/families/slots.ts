import { familyOf } from "../../core/chain-facts.ts";
import type { Network } from "../../core/network.ts";
import type { SlotTerms } from "../../orders/family.ts";
import type { SlotRules } from "../../orders/slot-rules.ts";
import type { AnyOrder } from "../../orders/trade-order.ts";
import { evmSlots } from "../evm/rules/slot-rules.ts";
import { solSlots } from "../sol/rules/slot-rules.ts";
import type { Families, Family } from "./family.ts";

/** Describes an order's transactions as clients see them. */
export type ShownDetails = Families[Family]["details"];

/** Declares `detailsOf` before SlotRules, so that TypeScript prefers this declaration to that of SlotRules. */
type AnySlots = {
  detailsOf(order: AnyOrder, own: readonly SlotTerms[]): ShownDetails;
} & SlotRules;

/** The assignment is safe, because all slots of an order belong to its chain's family. */
const families: Readonly<Record<Family, AnySlots>> = {
  evm: evmSlots,
  sol: solSlots,
};

export const slotsOfFamily = (chain: Network): AnySlots => families[familyOf(chain)];
