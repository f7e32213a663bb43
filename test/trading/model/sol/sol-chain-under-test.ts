import type { Sol } from "../../../../lib/chains/sol/rules/family.ts";
import type { SolReceipt, SolSnapshot } from "../../../../lib/chains/sol/rules/host-snapshot.ts";
import type { SolIntent } from "../../../../lib/chains/sol/rules/intent.ts";
import type { SolLimits } from "../../../../lib/chains/sol/rules/limits.ts";
import type { SolMessage } from "../../../../lib/chains/sol/rules/message.ts";
import type { Objection, Question, Recipients } from "../../../../lib/orders/effects.ts";
import type { Soon } from "../chain-under-test.ts";
import type { ModelHelpers } from "./model-helpers.ts";

export type Signed = { hash: string; raw: string; intent: SolIntent; message: SolMessage };

/** A wallet's lamports, and its tokens by name. */
export type SolBelongings = { coins: bigint; tokens: ReadonlyMap<string, bigint> };

/** The amounts and times of a chain, by which histories choose theirs. */
export type SolScale = {
  /** The lamports, or the units of a token, of the smallest step of amounts. */
  unit: bigint;
  /** What a wallet has at first. */
  genesis(wallet: string): SolBelongings;
  limits: SolLimits;
  baseFee: bigint;
  rents: { marker: bigint; wsol: bigint };
  computeUnitLimit: number;
  /** A message is in a block only while its blockhash is among so many last ones. */
  lifetime: number;
  /** The blocks of one call of `mine`. */
  blocksAtOnce: number;
  /** True if Jupiter trades here, too. */
  hasJupiter: boolean;
};

export type SolFlaws = {
  /** Messages that can fill an order do not make its marker. */
  makesNoMarker?: boolean;
  /** A deposit is taken for a marker. */
  countsDeposits?: boolean;
  /** A deposit blocks messages like a marker, as it would if they made it in one step. */
  isBlockedByDeposits?: boolean;
  /** Markers are read before the height that they are compared with. */
  readsMarkersFirst?: boolean;
  /** Markers may be those of an earlier slot than the one asked for. */
  acceptsOldSlots?: boolean;
};

/** A chain of Solana's kind behind two hosts, with their possible faults. The model implements it, and Surfpool can. */
export interface SolChainUnderTest {
  /** Events so far, for the coverage. */
  readonly seen: Set<string>;
  readonly scale: SolScale;
  /** Protections that a mutant leaves out. */
  readonly flaws?: SolFlaws;
  /** Jupiter's helper keys, if it trades here. */
  readonly helpers?: ModelHelpers;
  /** The newest block. */
  readonly head: { hash: string; height: number };

  sign(intent: SolIntent, message: SolMessage): Soon<Signed | Objection>;
  /** @param run Asks the first host before the second one. */
  hostSnapshot(host: 0 | 1, question: Question<Sol>, run: object): Soon<SolSnapshot | undefined>;
  send(raw: string, to: Recipients): Soon<"reached" | "unreached">;
  /** Sends bytes that somebody has kept: they can turn up at any time. */
  resendOld(kept: readonly string[]): Soon<void>;

  /**
   * Mines blocks at this time, in seconds, with all or a random part of what waits.
   *
   * @param blocks By default those of the scale.
   */
  mine(time: number, isAll: boolean, blocks?: number): Soon<void>;
  /** Undoes blocks that are not final. What they had may be in other ones, or in none. */
  reorganise(time: number): Soon<void>;
  /** Drops all that waits. */
  drop(): Soon<void>;
  setLag(host: 0 | 1, isLagging: boolean): Soon<void>;
  setDown(host: 0 | 1, isDown: boolean): Soon<void>;
  /** A pruned host has lost its history, and answers null for all that is final. */
  setPruned(host: 0 | 1, isPruned: boolean): Soon<void>;
  /** Several nodes answer for a split host, and one of them is behind. */
  setSplit(host: 0 | 1, isSplit: boolean): Soon<void>;
  /** Makes one host lie, or neither. */
  setLie(host: 0 | 1, isLying: boolean): Soon<void>;
  setRelay(isUp: boolean): Soon<void>;
  /** Moves the price by a trade of somebody else. */
  tradeByOthers(token: string, share: bigint): Soon<void>;
  /** A stranger pays lamports into the marker of an order. */
  depositOnMarker(orderId: string): Soon<void>;
  /** The owner takes tokens, or all but so many lamports, out of a wallet by another program. */
  moveOut(wallet: string, token: string): Soon<void>;
  moveCoins(wallet: string, left: bigint): Soon<void>;

  /** What a pool holds. */
  poolOf(token: string): { coins: bigint; tokens: bigint };
  belongings(wallet: string): Soon<SolBelongings>;
  /** Describes accounts of a wallet that its orders should not have left, or not so. */
  strays(wallet: string, orderIds: readonly string[]): Soon<readonly string[]>;
  isMarked(orderId: string): boolean;
  isMarkedForEver(orderId: string): boolean;
  /** The result of a message in the final chain. */
  finalReceipt(hash: string): SolReceipt | undefined;
  /** True if each of an order's messages was in a block or too old for one, or if one has filled it, in any fork so far. */
  areSpent(attempts: readonly { hash: string; lastValidBlockHeight: number }[]): boolean;
  /** True if no block that may still come can have one of these messages. */
  isDead(hashes: readonly string[]): boolean;
}
