import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import type { EvmSnapshot } from "../../../lib/chains/evm/rules/host-snapshot.ts";
import type { UnsignedEvmTransaction } from "../../../lib/chains/evm/rules/intent.ts";
import type { Effects, Question, Recipients } from "../../../lib/orders/effects.ts";

/** A silent relay accepts transactions and forgets them. A mute relay includes them, but never answers. */
export type RelayState = "up" | "silent" | "mute" | "away";

export type SendAnswer = Effects["send"]["answer"];

/** A result that is synchronous in the model, and asynchronous on a real node. */
export type Soon<Value> = Value | Promise<Value>;

export const lies = [
  "receipt made up",
  "receipts withheld",
  "balances made up",
  "nonce high",
  "nonce low",
  "quote low",
  "gas made up",
  "route preferred",
  "route hidden",
  "route invented",
] as const;

/** Only a plot makes a host show the oldest of the transactions that it is asked about as failed. */
export type Lie = (typeof lies)[number] | "oldest failed";

/** A transaction sent by another program of the wallet's owner. */
export type ForeignTransaction = {
  wallet: string;
  /** Whether the transaction pays more than the service's own transaction in the pool, or less. */
  isAbove: boolean;
  /** Tokens that the transaction moves away. */
  token?: string;
  amount: bigint;
};

/** Sets how tokens' transfer events differ from the real transfers from now on. */
export type Events = "right" | "missing" | "doubled";

/** A wallet's balances in the newest block. */
export type Belongings = {
  coins: bigint;
  tokens: ReadonlyMap<string, bigint>;
  nonce: number;
  pending: number;
};

/** A chain behind two hosts and a relay, with their possible faults. The model and anvil implement it. */
export interface ChainUnderTest {
  /** Signs with the wallet's key. The same transaction always gets the same bytes. */
  sign(transaction: UnsignedEvmTransaction): Soon<{ hash: string; raw: string }>;
  hostSnapshot(host: 0 | 1, question: Question<Evm>): Soon<EvmSnapshot | undefined>;
  send(raw: string, to: Recipients): Soon<SendAnswer>;

  /** Mines a block at this time in seconds, with all or some of the transactions in the pools. */
  mine(time: number, isAll: boolean): Soon<void>;
  /** Undoes blocks that are not final, and mines other blocks in their place. Undone transactions may be lost. */
  reorganise(time: number): Soon<void>;
  /** Empties the transaction pools. */
  drop(): Soon<void>;
  /** Makes a host stop following the chain, or follow it again. */
  lag(host: 0 | 1, isLagging: boolean): Soon<void>;
  /** Silences a host, or lets it answer again. */
  setDown(host: 0 | 1, isDown: boolean): Soon<void>;
  /** Makes at most one of the hosts lie. */
  lie(host: 0 | 1, lie: Lie | undefined): Soon<void>;
  /** Makes answers inconsistent, by adding blocks between their parts. */
  tear(isTorn: boolean): Soon<void>;
  setRelay(relay: RelayState): Soon<void>;
  /** Allows a delegated wallet only one transaction in a pool. */
  delegate(wallet: string): Soon<void>;
  /** Sets the base fee, in wei per unit of gas. */
  setBaseFee(baseFee: bigint): Soon<void>;
  /** Makes tokens log odd events. Some chains cannot do this. */
  setEvents?(events: Events): Soon<void>;
  /** Makes a host forget the balances before its newest block, or keep all of them. */
  forget?(host: 0 | 1, isForgetting: boolean): Soon<void>;
  /** Returns the tokens that a swap has moved, both as logged and in truth. */
  tokensOf?(hash: string): Soon<{ logged: bigint; moved: bigint } | undefined>;
  /** Returns a wallet's lowest balance of a token in any block so far. */
  leastHeld?(wallet: string, token: string): bigint;
  /** Sends another program's transaction if the wallet can pay. */
  sendForeign(transaction: ForeignTransaction): Soon<void>;
  /** Makes the owner's other programs resend their pending transactions. */
  resendForeign(): Soon<void>;

  belongings(wallet: string): Soon<Belongings>;
  /** Returns how the owner's other programs have changed balances, including fees. */
  foreignEffect(wallet: string): Soon<{ coins: bigint; tokens: ReadonlyMap<string, bigint> }>;
  /** Returns the coin left in routers, which anyone may take. */
  strayCoins(): Soon<bigint>;
  /** Returns true if the final chain has another program's transaction at the nonce. */
  isForeign(wallet: string, nonce: number): Soon<boolean>;
  /** Returns the latest time of any block so far. */
  latestTime(): Soon<number>;
  /** Returns true if the transaction is in a final block. */
  isFinal(hash: string): Soon<boolean>;
  /** Returns the lowest nonce that can still change. */
  finalNonce(wallet: string): Soon<number>;
  /** Constant layer 1 fee of each transaction, if the chain has one. */
  readonly l1Fee?: bigint;
  /** Events reached so far, for the coverage. */
  readonly seen: Set<string>;
}
