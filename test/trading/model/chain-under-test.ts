import type { Question } from "../../../lib/trading/core/effects.ts";
import type { HostSnapshot } from "../../../lib/trading/core/evm/host-snapshot.ts";
import type { UnsignedTransaction } from "../../../lib/trading/core/intent.ts";

/** At once from the model, later from a real node. */
export type Soon<Value> = Value | Promise<Value>;

export type Lie = "receipt made up" | "receipts withheld" | "nonce high" | "nonce low" | "quote low";

export const lies: readonly Lie[] = [
  "receipt made up",
  "receipts withheld",
  "nonce high",
  "nonce low",
  "quote low",
];

/** A transaction that another program of the wallet's owner sends. */
export type ForeignTransaction = {
  wallet: string;
  /** Above or below what a transaction of ours in the pool pays. */
  isAbove: boolean;
  /** Tokens that it moves to somebody else. */
  token?: string;
  amount: bigint;
};

/** What a wallet has at the newest block. */
export type Belongings = {
  coins: bigint;
  tokens: ReadonlyMap<string, bigint>;
  nonce: number;
  pending: number;
};

/** A chain behind two hosts and a relay, with all that can go wrong there. The model has one, and anvil can be one. */
export interface ChainUnderTest {
  /** Signs with the wallet's key. The same transaction has the same bytes each time. */
  sign(transaction: UnsignedTransaction): Soon<{ hash: string; raw: string }>;
  look(host: 0 | 1, question: Question): Soon<HostSnapshot | undefined>;
  /** To both hosts, or to the relay alone. Returns whether anybody was there. */
  send(raw: string, isPrivate: boolean): Soon<boolean>;

  /** Mines a block at this time, in seconds, with all or a random part of what the pools have. */
  mine(time: number, isAll: boolean): Soon<void>;
  /** Takes back blocks that are not final, and mines others. Their transactions may be lost. */
  reorganise(time: number): Soon<void>;
  /** The pools forget their transactions. */
  drop(): Soon<void>;
  /** A host stops following the chain, or follows it again. */
  lag(host: 0 | 1, isLagging: boolean): Soon<void>;
  /** A host answers nothing, or answers again. */
  setDown(host: 0 | 1, isDown: boolean): Soon<void>;
  /** One host lies, or neither does. */
  lie(host: 0 | 1, lie: Lie | undefined): Soon<void>;
  /** Answers are torn: blocks come between the parts of an answer. */
  tear(isTorn: boolean): Soon<void>;
  /** A silent relay takes transactions and forgets them. */
  setRelay(relay: "up" | "silent" | "away"): Soon<void>;
  /** A delegated wallet may have one transaction in a pool. */
  delegate(wallet: string): Soon<void>;
  /** Wei for a unit of gas. */
  setBaseFee(baseFee: bigint): Soon<void>;
  /** Does nothing if the wallet cannot pay. */
  sendForeign(transaction: ForeignTransaction): Soon<void>;
  /** The owner's other programs send again what has no block. */
  resendForeign(): Soon<void>;

  belongings(wallet: string): Soon<Belongings>;
  /** What the owner's other programs have added and taken, fees included. */
  foreignEffect(wallet: string): Soon<{ coins: bigint; tokens: ReadonlyMap<string, bigint> }>;
  /** Coin that lies in a router, for anyone to take. */
  strayCoins(): Soon<bigint>;
  /** Whether the final chain has a transaction of another program at the nonce. */
  isForeign(wallet: string, nonce: number): Soon<boolean>;
  /** The latest time that any block has had. */
  latestTime(): Soon<number>;
  /** Whether the transaction is in a final block. */
  isFinal(hash: string): Soon<boolean>;
  /** The nonces below this one can never change. */
  finalNonce(wallet: string): Soon<number>;
  /** What each transaction pays for layer 1, where that stands still. */
  readonly l1Fee?: bigint;
  /** What has happened, for the coverage. */
  readonly seen: Set<string>;
}
