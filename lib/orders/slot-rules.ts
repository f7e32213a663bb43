import type { Network } from "../core/network.ts";
import type { TokenUnits } from "../core/units.ts";
import type { BlockName } from "./block.ts";
import type { FamilyTypes } from "./family.ts";
import type { BothWords } from "./resting/firing.ts";
import type { DeadChild } from "./resting/mandate.ts";
import type { Ledger } from "./table-step.ts";
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

/** How executeOrders decides that a resting order's child can never fill, from what the signer has signed for it. */
export type DeathRules<F extends FamilyTypes = FamilyTypes> = {
  /** Returns the child's swap with its deadline in seconds. Undefined if none is signed. */
  signedIn(ledger: Ledger<F>): { deadline: number } | undefined;
  /** Returns the hashes of all that is signed for the child. */
  hashesIn(ledger: Ledger<F>): readonly string[];
  /**
   * Returns the proof that both hosts give. Absent where another child may go without proof, because all children of
   * an order share a marker.
   */
  proofIn?(chain: Network, signed: { deadline: number }, words: BothWords): DeathProof | undefined;
  /** Returns the end of a child that is final and has not filled. Absent where it is proved. */
  endOf?(slots: readonly F["slot"][]): DeathProof;
};

/** Why a child can never fill, and the number of the block that shows it. */
export type DeathProof = Pick<DeadChild, "how" | "block">;

/** A family's rules for the slots of an order. */
export type SlotRules<F extends FamilyTypes = FamilyTypes> = {
  sightOf(slot: F["slot"]): SlotSight;
  /** Returns the fill in the slot's block, if there is one. */
  fillIn(slot: F["slot"]): FoundFill | undefined;
  /** Returns the lowest place that a fill of the slot can have. */
  lowestPlace(slot: F["slot"]): number;
  /** Returns the times at which the order needs a run. */
  dueMs(order: TradeOrder<F>, slots: readonly F["slot"][], nowMs: number): number[];
  /** True if a signed transaction may wait for a better price until the order's deadline. */
  mayWait(intent: F["intent"]): boolean;
  deaths: DeathRules<F>;
  /** Describes the order's transactions, oldest first. */
  detailsOf(order: TradeOrder<F>, own: readonly F["slot"][]): F["details"];
};

/** Time after which the lane checks again an order that cannot continue. */
export const retryMs = 5000;

/** How long to wait after a deadline, because blocks arrive later than their timestamps say. */
export const afterDeadlineMs = 2000;
