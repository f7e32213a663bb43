import type { Sol } from "../../../../lib/chains/sol/rules/family.ts";
import type { SolReceipt, SolSnapshot } from "../../../../lib/chains/sol/rules/host-snapshot.ts";
import type { SolIntent } from "../../../../lib/chains/sol/rules/intent.ts";
import type { SolLimits } from "../../../../lib/chains/sol/rules/limits.ts";
import type { SolMessage } from "../../../../lib/chains/sol/rules/message.ts";
import type { Objection, Question, Recipients } from "../../../../lib/orders/effects.ts";
import type { Soon } from "../chain-under-test.ts";
import type { ModelHelpers } from "./model-helpers.ts";
import type { SolLie } from "./sol-lies.ts";

export type Signed = { hash: string; raw: string; intent: SolIntent; message: SolMessage };

/** A wallet's lamports, and its tokens by name. */
export type SolBelongings = { coins: bigint; tokens: ReadonlyMap<string, bigint> };

/** Amounts and times of a chain, from which histories derive their own. */
export type SolScale = {
  /** Smallest step of amounts, in lamports or units of a token. */
  unit: bigint;
  /** Returns a wallet's balances at the start. */
  genesis(wallet: string): SolBelongings;
  limits: SolLimits;
  baseFee: bigint;
  rents: { marker: bigint; wsol: bigint };
  computeUnitLimit: number;
  /** Number of blocks for which a blockhash stays valid. */
  lifetime: number;
  /** Number of blocks mined by one call of `mine`. */
  blocksAtOnce: number;
  /** True if Jupiter also trades on this chain. */
  hasJupiter: boolean;
  /** True if jobs keep what hosts said when an order was placed. */
  keepsFacts: boolean;
};

export type SolFlaws = {
  /** Lets messages fill an order without a marker. */
  makesNoMarker?: boolean;
  /** Mistakes a deposit for a marker. */
  countsDeposits?: boolean;
  /** Lets a deposit block messages like a marker, as if messages made the marker in one step. */
  isBlockedByDeposits?: boolean;
  /** Reads markers before it reads the height. */
  readsMarkersFirst?: boolean;
  /** Accepts markers from an earlier slot than requested. */
  acceptsOldSlots?: boolean;
  /** Asks hosts for their newest blocks, which are not final. */
  readsUnfinal?: boolean;
};

/** A chain like Solana behind two hosts, with their possible faults. The model and Surfpool implement it. */
export interface SolChainUnderTest {
  /** Events reached so far, for the coverage. */
  readonly seen: Set<string>;
  readonly scale: SolScale;
  /** Protections that a mutant leaves out. */
  readonly flaws?: SolFlaws;
  /** Jupiter's helper keys, if it trades on this chain. */
  readonly helpers?: ModelHelpers;
  /** Height and time of the newest block. */
  readonly head: { hash: string; height: number };

  sign(intent: SolIntent, message: SolMessage): Soon<Signed | Objection>;
  /** @param run Run that queries the first host before the second. */
  hostSnapshot(host: 0 | 1, question: Question<Sol>, run: object): Soon<SolSnapshot | undefined>;
  send(raw: string, to: Recipients): Soon<"reached" | "unreached">;
  /** Sends old bytes again, which anyone may have kept. */
  resendOld(kept: readonly string[]): Soon<void>;

  /**
   * Mines blocks at this time in seconds, with all or some of the waiting messages.
   *
   * @param blocks Number of blocks, by default from the scale.
   */
  mine(time: number, isAll: boolean, blocks?: number): Soon<void>;
  /** Undoes blocks that are not final. Their messages may be in other blocks, or in none. */
  reorganise(time: number): Soon<void>;
  /** Drops all waiting messages. */
  drop(): Soon<void>;
  setLag(host: 0 | 1, isLagging: boolean): Soon<void>;
  setDown(host: 0 | 1, isDown: boolean): Soon<void>;
  /** Makes a host lose its history, so that it answers null for all transactions. */
  setPruned(host: 0 | 1, isPruned: boolean): Soon<void>;
  /** Splits a host into several nodes, and lets one node lag behind. */
  setSplit(host: 0 | 1, isSplit: boolean): Soon<void>;
  /**
   * Makes at most one of the hosts lie.
   *
   * @param lie By default a random one.
   */
  setLie(host: 0 | 1, isLying: boolean, lie?: SolLie): Soon<void>;
  setRelay(isUp: boolean): Soon<void>;
  /** Moves the price through a stranger's trade. */
  tradeByOthers(token: string, share: bigint): Soon<void>;
  /** Pays a stranger's lamports into the marker of an order. */
  depositOnMarker(orderId: string): Soon<void>;
  /** Lets the owner use another program to move tokens, or all but this many lamports, out of a wallet. */
  moveOut(wallet: string, token: string): Soon<void>;
  moveCoins(wallet: string, left: bigint): Soon<void>;

  /** Returns the reserves of a pool. */
  poolOf(token: string): { coins: bigint; tokens: bigint };
  belongings(wallet: string): Soon<SolBelongings>;
  /** Returns the lowest number of units that a wallet had of a token in any block so far. */
  leastHeld?(wallet: string, token: string): bigint;
  /** Describes accounts that a wallet's orders should have closed or left in a different state. */
  strays(wallet: string, orderIds: readonly string[]): Soon<readonly string[]>;
  isMarked(orderId: string): boolean;
  isMarkedForEver(orderId: string): boolean;
  /** Returns the result of a message in the final chain. */
  finalReceipt(hash: string): SolReceipt | undefined;
  /**
   * Returns true if each of an order's messages was in a block or has expired, or if one has filled it, on any fork so
   * far.
   */
  areSpent(attempts: readonly { hash: string; lastValidBlockHeight: number }[]): boolean;
  /** Returns true if no future block can include any of these messages. */
  isDead(hashes: readonly string[]): boolean;
}
