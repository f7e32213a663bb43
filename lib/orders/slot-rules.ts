import type { BlockName } from "./block.ts";
import type { FamilyTypes } from "./family.ts";
import type { TradeOrder } from "./trade-order.ts";

/** Where hosts have seen a slot's transactions. */
export type SlotSight = {
  /** The one transaction of the slot that took effect, with its block. */
  receipt?: { hash: string; block: BlockName } | undefined;
  /** The blocks by which both hosts saw that another transaction had taken the place. */
  takenIn?: readonly BlockName[] | undefined;
};

/** The result of an order's swap, and its place in the order of a wallet's fills. */
export type FoundFill = {
  /** Sorts fills in the order in which they happened. */
  place: number;
  spent: bigint;
  received: bigint;
  timeSeconds: number;
  /** Tokens in the wallet before a sale. */
  held?: bigint | undefined;
};

/** A family's rules for the slots of an order. */
export type SlotRules<F extends FamilyTypes = FamilyTypes> = {
  sightOf(slot: F["slot"]): SlotSight;
  /** Returns the fill that a block has, if any. */
  fillIn(slot: F["slot"]): FoundFill | undefined;
  /** Returns the times at which a run for the order is due. */
  dueMs(order: TradeOrder<F>, slots: readonly F["slot"][], nowMs: number): number[];
  /** True if a signed transaction may wait for a better price until the order's deadline. */
  mayWait(intent: F["intent"]): boolean;
  /** Describes the order's transactions, oldest first. */
  detailsOf(order: TradeOrder<F>, own: readonly F["slot"][]): F["details"];
};

/** An order that cannot go on is checked again after this time. */
export const retryMs = 5000;

/** Blocks arrive later than their timestamp. */
export const afterDeadlineMs = 2000;
