import type { TokenUnits } from "../core/units.ts";
import type { BlockName } from "./block.ts";
import type { FamilyTypes } from "./family.ts";
import type { TradeOrder } from "./trade-order.ts";

/** Blocks in which hosts have seen a slot's transactions. */
export type SlotSight = {
  /** The one transaction of the slot that took effect, with its block. */
  receipt?: { hash: string; block: BlockName } | undefined;
  /** Blocks at which both hosts saw the place taken by another transaction. */
  takenIn?: readonly BlockName[] | undefined;
};

/** Result of an order's swap, and its place among the wallet's fills. */
export type FoundFill = {
  /** Place in the sequence of the wallet's fills, in the order in which they happened. */
  place: number;
  spent: bigint;
  received: bigint;
  timeSeconds: number;
  /** Tokens in the wallet before a sale. */
  held?: TokenUnits | undefined;
};

/** A family's rules for the slots of an order. */
export type SlotRules<F extends FamilyTypes = FamilyTypes> = {
  sightOf(slot: F["slot"]): SlotSight;
  /** Returns the fill in the slot's block, if any. */
  fillIn(slot: F["slot"]): FoundFill | undefined;
  /** Returns the times at which the order needs a run. */
  dueMs(order: TradeOrder<F>, slots: readonly F["slot"][], nowMs: number): number[];
  /** True if a signed transaction may wait for a better price until the order's deadline. */
  mayWait(intent: F["intent"]): boolean;
  /** Describes the order's transactions, oldest first. */
  detailsOf(order: TradeOrder<F>, own: readonly F["slot"][]): F["details"];
};

/** Time after which an order that cannot continue is checked again. */
export const retryMs = 5000;

/** Time to wait after a deadline, because blocks arrive later than their timestamp. */
export const afterDeadlineMs = 2000;
