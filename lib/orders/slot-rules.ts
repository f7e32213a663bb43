import type { TokenUnits } from "../core/units.ts";
import type { BlockName } from "./block.ts";
import type { FamilyTypes } from "./family.ts";
import type { TradeOrder } from "./trade-order.ts";

/** The blocks in which hosts have seen a slot's transactions. */
export type SlotSight = {
  /** The slot's only transaction that took effect, with its block. */
  receipt?: { hash: string; block: BlockName } | undefined;
  /** Blocks at which both hosts saw that another transaction had taken the place. */
  takenIn?: readonly BlockName[] | undefined;
};

/** Result of an order's swap, with its place among the wallet's fills. */
export type FoundFill = {
  /** Place in the sequence of the wallet's fills, in the order in which they happened. */
  place: number;
  spent: bigint;
  received: bigint;
  timeSeconds: number;
  /** Number of tokens that the wallet held before a sale. */
  held?: TokenUnits | undefined;
};

/** A family's rules for the slots of an order. */
export type SlotRules<F extends FamilyTypes = FamilyTypes> = {
  sightOf(slot: F["slot"]): SlotSight;
  /** Returns the fill in the slot's block, if there is one. */
  fillIn(slot: F["slot"]): FoundFill | undefined;
  /** Returns the times at which the order needs a run. */
  dueMs(order: TradeOrder<F>, slots: readonly F["slot"][], nowMs: number): number[];
  /** True if a signed transaction may wait for a better price until the order's deadline. */
  mayWait(intent: F["intent"]): boolean;
  /** Describes the order's transactions, oldest first. */
  detailsOf(order: TradeOrder<F>, own: readonly F["slot"][]): F["details"];
};

/** Time after which the lane checks again an order that cannot continue. */
export const retryMs = 5000;

/** How long to wait after a deadline, because blocks arrive later than their timestamps say. */
export const afterDeadlineMs = 2000;
