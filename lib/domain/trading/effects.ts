import type { Book } from "./book.ts";
import type { Call, Fees, Intent, LaneKey, UnsignedTransaction } from "./intent.ts";
import type { Glance, Sight } from "./sight.ts";
import type { Slot } from "./slot.ts";
import type { Job, Lane, Ledger, Step, UsedKey } from "./table-step.ts";
import type { HostQuote, QuoteQuestion } from "./trade-facts.ts";
import type { TradeOrder } from "./trade-order.ts";
import type { OrderSettings } from "./trading-chain.ts";
import type { Limits } from "./wallet-policy.ts";

/** All that a run needs of a wallet: the lane with its jobs and slots, and what belongs to their users. */
export type LaneView = {
  lane: Lane | undefined;
  jobs: readonly Job[];
  slots: readonly Slot[];
  /** Of the jobs, oldest first. */
  orders: readonly TradeOrder[];
  books: readonly Book[];
  /** The users whose wallet is retired. */
  retired: ReadonlySet<string>;
  /** Each user's highest gas price as it is now, in wei. */
  maxGasPrices: ReadonlyMap<string, bigint>;
  /** What each user's policy of the wallet is, and what they have spent. */
  limits: ReadonlyMap<string, Limits>;
  /** Whether an operator has stopped trading. */
  isStopped: boolean;
};

/** What the signer goes by. */
export type SigningView = {
  order: TradeOrder | undefined;
  slot: Slot | undefined;
  ledger: Ledger | undefined;
  isRetired: boolean;
  isStopped: boolean;
  /** Whether the user has cancelled the order. */
  isCancelled: boolean;
  maxGasPrice: bigint;
  limits: Limits;
};

/** What is known before an order is placed. */
export type PlacingView = {
  used: UsedKey | undefined;
  /** The order that the key placed. */
  order: TradeOrder | undefined;
  /** Whether the user has the wallet, and it is not retired. */
  hasWallet: boolean;
  /** The wallet's orders that are not settled, of all users, and their number as its lane says. Absent without a lane. */
  laneOrders: readonly TradeOrder[];
  jobs: number | undefined;
  /** The user's settings of the chain. Absent for a network on which no orders can be executed. */
  settings: OrderSettings | undefined;
  isStopped: boolean;
  /** The most that a buy may spend, whatever the wallet's policy says. */
  maxOrder: bigint | undefined;
  limits: Limits;
};

/** What a run wants to know about a chain. */
export type Question = LaneKey & {
  hashes: readonly string[];
  orders: readonly Intent[];
  /** What was signed, by hash. */
  calls?: ReadonlyMap<string, Call>;
  /** The numbers of blocks whose hashes count. */
  blocks?: readonly number[];
};

export type SignRequest = LaneKey & {
  orderId: string;
  userID: string;
  nonce: number;
  purpose: Call["purpose"];
  fees: Fees;
};

/** Why the signer does not sign: `refused` is for good, `later` may be over when the order is looked at again. */
export type Objection = { refused: string } | { later: string };

/** The signer's answer: the slot with the attempt, as recorded. */
export type SignAnswer = { slot: Slot } | Objection;

/**
 * Everything that the procedures of trading do outside themselves. The functions on AWS carry them out one by one, and so
 * does the model that tests them. A failure ends the run; the sweep is the retry.
 */
export type Effects = {
  /** The time of the machine, in milliseconds. */
  now: { ask: Record<never, never>; answer: number };
  pause: { ask: { ms: number }; answer: undefined };
  /** With what was spent on the day, as in the two below. */
  readLane: { ask: { lane: LaneKey; day: string }; answer: LaneView };
  readSigning: { ask: { request: SignRequest; day: string }; answer: SigningView };
  readPlacing: { ask: { lane: LaneKey; day: string; userID: string; key?: string }; answer: PlacingView };
  readOrder: {
    ask: { userID: string; orderId: string };
    answer: { order: TradeOrder | undefined; slots: readonly Slot[] };
  };
  /** Every lane of the chain. */
  readLanes: { ask: { chain: LaneKey["chain"] }; answer: readonly Lane[] };
  /** One transaction. The answer is whether its conditions held. */
  write: { ask: { step: Step }; answer: boolean };
  /** One host's view. No answer if it fails, or answers anything but what was asked. */
  look: { ask: { host: 0 | 1; question: Question }; answer: Sight | undefined };
  /** What two hosts say of a trade: at the same block, if they come to see one in time. */
  quote: { ask: { question: QuoteQuestion }; answer: readonly [HostQuote, HostQuote] };
  /**
   * What any host sees of these transactions. No answer if none gives one, or if the latest block is still the one that is
   * named.
   */
  glance: {
    ask: { chain: LaneKey["chain"]; hashes: readonly string[]; latest?: string };
    answer: Glance | undefined;
  };
  /** Invokes the signer. */
  sign: { ask: { request: SignRequest }; answer: SignAnswer };
  /**
   * The answer is whether anybody took it: false only if it certainly reached nobody. What counts is what the chain says
   * later.
   */
  send: { ask: { chain: LaneKey["chain"]; raw: string; isPrivate: boolean }; answer: boolean };
  /** Invokes executeOrders, without waiting for it. */
  wake: { ask: { lane: LaneKey }; answer: undefined };
  makeMac: { ask: { intent: Intent }; answer: string };
  checkMac: { ask: { intent: Intent; mac: string }; answer: boolean };
  /** Decrypts the wallet's key and signs. The same transaction has the same bytes each time. */
  signBytes: {
    ask: { transaction: UnsignedTransaction; userID: string };
    answer: { hash: string; raw: string } | Objection;
  };
};

export type Effect = { [Name in keyof Effects]: { do: Name } & Effects[Name]["ask"] }[keyof Effects];

/** A procedure: it yields what it wants done, and is resumed with the answer. */
export type Procedure<Result> = Generator<Effect, Result, Effects[keyof Effects]["answer"]>;

type Ask<Name extends keyof Effects> = { do: Name } & Effects[Name]["ask"];

/** Has one effect carried out, and returns its answer. */
export function* perform<Name extends keyof Effects>(effect: Ask<Name>): Procedure<Effects[Name]["answer"]> {
  return (yield effect as Effect) as Effects[Name]["answer"];
}
