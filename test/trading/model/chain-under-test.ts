import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import type { HostSnapshot } from "../../../lib/chains/evm/rules/host-snapshot.ts";
import type { UnsignedTransaction } from "../../../lib/chains/evm/rules/intent.ts";
import type { Effects, Question, Recipients } from "../../../lib/orders/effects.ts";

/** A silent relay accepts transactions and forgets them. A mute one includes them, but never answers. */
export type RelayState = "up" | "silent" | "mute" | "away";

export type SendAnswer = Effects["send"]["answer"];

/** Synchronous in the model, asynchronous on a real node. */
export type Soon<Value> = Value | Promise<Value>;

export const lies = [
  "receipt made up",
  "receipts withheld",
  "balances made up",
  "nonce high",
  "nonce low",
  "quote low",
  "route preferred",
  "route hidden",
  "route invented",
] as const;

export type Lie = (typeof lies)[number];

/** A transaction that another program of the wallet's owner sends. */
export type ForeignTransaction = {
  wallet: string;
  /** Whether it pays more or less than our transaction in the pool. */
  isAbove: boolean;
  /** Tokens that it sends away. */
  token?: string;
  amount: bigint;
};

/** Sets how the events of tokens' transfers differ from the transfers, from now on. */
export type Events = "right" | "missing" | "doubled";

/** A wallet's balances at the newest block. */
export type Belongings = {
  coins: bigint;
  tokens: ReadonlyMap<string, bigint>;
  nonce: number;
  pending: number;
};

/** A chain behind two hosts and a relay, with their possible faults. The model implements it, and anvil can. */
export interface ChainUnderTest {
  /** Signs with the wallet's key. The same transaction has the same bytes each time. */
  sign(transaction: UnsignedTransaction): Soon<{ hash: string; raw: string }>;
  hostSnapshot(host: 0 | 1, question: Question<Evm>): Soon<HostSnapshot | undefined>;
  send(raw: string, to: Recipients): Soon<SendAnswer>;

  /** Mines a block at this time, in seconds, with all or a random part of the pools' transactions. */
  mine(time: number, isAll: boolean): Soon<void>;
  /** Takes back blocks that are not final, and mines others. Their transactions may be lost. */
  reorganise(time: number): Soon<void>;
  /** Empties the pools. */
  drop(): Soon<void>;
  /** Makes a host stop following the chain, or follow it again. */
  lag(host: 0 | 1, isLagging: boolean): Soon<void>;
  /** Silences a host, or lets it answer again. */
  setDown(host: 0 | 1, isDown: boolean): Soon<void>;
  /** Makes one host lie, or neither. */
  lie(host: 0 | 1, lie: Lie | undefined): Soon<void>;
  /** Makes answers inconsistent: blocks come between the parts of an answer. */
  tear(isTorn: boolean): Soon<void>;
  setRelay(relay: RelayState): Soon<void>;
  /** A delegated wallet may have one transaction in a pool. */
  delegate(wallet: string): Soon<void>;
  /** Sets the base fee, in wei per unit of gas. */
  setBaseFee(baseFee: bigint): Soon<void>;
  /** Makes tokens log odd events. Not every chain under test can. */
  setEvents?(events: Events): Soon<void>;
  /** Makes a host forget the balances before its newest block, or keep them all. */
  forget?(host: 0 | 1, isForgetting: boolean): Soon<void>;
  /** The tokens that a swap has moved, by its events and in truth. */
  tokensOf?(hash: string): Soon<{ logged: bigint; moved: bigint } | undefined>;
  /** The fewest units that a wallet had of a token in any block so far. */
  leastHeld?(wallet: string, token: string): bigint;
  /** Does nothing if the wallet cannot pay. */
  sendForeign(transaction: ForeignTransaction): Soon<void>;
  /** The owner's other programs send their pending transactions again. */
  resendForeign(): Soon<void>;

  belongings(wallet: string): Soon<Belongings>;
  /** The net effect of the owner's other programs, including fees. */
  foreignEffect(wallet: string): Soon<{ coins: bigint; tokens: ReadonlyMap<string, bigint> }>;
  /** Coin left in a router, for anyone to take. */
  strayCoins(): Soon<bigint>;
  /** Whether the final chain has a transaction of another program at the nonce. */
  isForeign(wallet: string, nonce: number): Soon<boolean>;
  /** The latest time of any block so far. */
  latestTime(): Soon<number>;
  /** Whether the transaction is in a final block. */
  isFinal(hash: string): Soon<boolean>;
  /** Nonces below this one can never change. */
  finalNonce(wallet: string): Soon<number>;
  /** The constant layer 1 fee of each transaction, if the chain has one. */
  readonly l1Fee?: bigint;
  /** Events so far, for the coverage. */
  readonly seen: Set<string>;
}
