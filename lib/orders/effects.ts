import type { WeiPerGas } from "../core/units.ts";
import type { AutomaticFacts } from "./automatic-buy.ts";
import type { Look } from "./block.ts";
import type { Book } from "./book.ts";
import type { Cutoffs } from "./cutoffs.ts";
import type { FamilyTypes, HostAnswers, SlotTerms } from "./family.ts";
import type { IntentTerms, LaneKey } from "./intent.ts";
import type { ProgramFacts } from "./program-limits.ts";
import type { PercentExit } from "./resting/exits/given.ts";
import type { AskedChild, BothWords } from "./resting/firing.ts";
import type { Ended, Mandate } from "./resting/mandate.ts";
import type { StoredResting } from "./resting/stored.ts";
import type { ParentFacts } from "./resting/tally.ts";
import type {
  CutoffScope,
  Job,
  JobName,
  Lane,
  LeaseCondition,
  Ledger,
  MissedToken,
  ReaderLease,
  ReaderOf,
  RestingTurn,
  TradeStep,
  UsedKey,
} from "./table-step.ts";
import type { AnyOrder, TradeOrder } from "./trade-order.ts";
import type { Limits } from "./wallet-policy.ts";

/** A wallet's lane with its jobs and slots, and the data of its users: everything that a run needs. */
export type LaneView<F extends FamilyTypes = FamilyTypes> = {
  lane: Lane | undefined;
  jobs: readonly Job[];
  slots: readonly F["slot"][];
  /** The orders of the lane's jobs, oldest first. */
  orders: readonly TradeOrder<F>[];
  /** The books of the orders' tokens, and all users' books of tokens that were reported missing. */
  books: readonly Book[];
  /** Tokens whose positions may exceed the wallet's balance. */
  missed?: readonly string[] | undefined;
  /** Users who have retired the wallet. */
  retired: ReadonlySet<string>;
  /** Ids of the orders that users have cancelled. */
  cancelled: ReadonlySet<string>;
  /** Each user's current highest gas price. 0 on chains without gas. */
  maxGasPrices: ReadonlyMap<string, WeiPerGas>;
  /** Policy for the wallet, and the amount already spent on this day, of each user. */
  limits: ReadonlyMap<string, Limits>;
  /** The bytes of each slot's newest attempt, by the attempt's hash. Bytes that have expired are missing. */
  bytes: ReadonlyMap<string, string>;
  /** True if an operator has stopped trading. */
  isStopped: boolean;
  /** Records of the lane's orders that are children of resting orders, by the child's id. */
  children?: ReadonlyMap<string, LaneChild<F>> | undefined;
};

/** Records of a child in the signer's ledger, and the dead children of its resting order. */
export type LaneChild<F extends FamilyTypes = FamilyTypes> = {
  ledger: Ledger<F> | undefined;
  ended: Ended | undefined;
};

/** The facts that the signer checks before it signs. */
export type SigningView<F extends FamilyTypes = FamilyTypes> = {
  order: TradeOrder<F> | undefined;
  slot: F["slot"] | undefined;
  ledger: Ledger<F> | undefined;
  isRetired: boolean;
  isStopped: boolean;
  /** True if the user has cancelled the order. */
  isCancelled: boolean;
  /** The user's cancellations of many orders. */
  cutoffs: Cutoffs;
  /** The resting order of a child. Absent for orders of users. */
  parent?: ParentFacts | undefined;
  /** The program key by which the order was placed. Absent for orders of users. */
  program?: ProgramFacts | undefined;
  maxGasPrice: WeiPerGas;
  limits: Limits;
  /** The operators' limits. */
  chainLimits: F["limits"];
};

/** Facts that are known before an order is placed. */
export type PlacingView<F extends FamilyTypes = FamilyTypes> = {
  used: UsedKey | undefined;
  /** The order that an earlier request with the same idempotency key placed. */
  order: AnyOrder | undefined;
  /** True if the wallet belongs to the user and is not retired. */
  hasWallet: boolean;
  /**
   * All users' unsettled orders of the wallet, and the number of orders that its lane states. Absent if the wallet has
   * no lane.
   */
  laneOrders: readonly AnyOrder[];
  jobs: number | undefined;
  /** The user's resting orders, and the facts about the key. Present if the request asks for it. */
  resting?: RestingView | undefined;
  /** Holdings of the token of an automatic buy. Absent for other requests. */
  automatic?: AutomaticFacts | undefined;
  /** The exits of the user's preset, if the switch for them is on and the request is for a buy that names none. */
  exits?: readonly PercentExit[] | undefined;
  /** The user's settings for the chain. */
  settings: F["trader"]["settings"];
  isStopped: boolean;
  /** The user's cancellations of many orders. */
  cutoffs: Cutoffs;
  limits: Limits;
  /** The program key that places the order. Absent for requests of users. */
  program?: ProgramFacts | undefined;
};

/** Resting orders of a user, as a request to place an order sees them. */
export type RestingView = {
  all: readonly StoredResting[];
  /** The resting order that the key has placed. */
  placed: StoredResting | undefined;
  /** The turn of the request. Absent without a key. */
  turn?: RestingTurn | undefined;
};

/** The facts about a chain that a run asks for. */
export type Question<F extends FamilyTypes = FamilyTypes> = LaneKey & {
  hashes: readonly string[];
  orders: readonly F["intent"][];
  /** Tokens whose balances are requested. */
  missed?: readonly string[] | undefined;
} & F["question"];

export type SignRequest<F extends FamilyTypes = FamilyTypes> = LaneKey & {
  orderId: string;
  userID: string;
  /**
   * The order as the run has read it. The signer checks its MAC while it reads the order itself, and signs only if both
   * are equal. Absent in requests of earlier versions.
   */
  claimed?: Pick<TradeOrder<F>, "intent" | "mac" | "mandate" | "mandateMac">;
} & F["asked"];

/** Where transactions are sent: hosts put them into the public pool, and a relay hides them. */
export type Recipients = "hosts" | "relay" | "relay and hosts";

/** The transaction pays too little, or the wallet has too little coin to pay for it. */
export type Refusal = "underpriced" | "unfunded";

/** Why nobody accepted a transaction. `unreached` means no answer, a fault or any other refusal. */
export type SendFailure = "unreached" | Refusal;

/** Why the signer does not sign. `refused` is final; `later` means that it may sign if it is asked again. */
export type Objection = { refused: string } | { later: string };

/** Why the key of a program forbids an order. Ends the order, too, but is no sign of an attack: programs reach limits. */
export type Forbidden = { forbidden: string };

/** The signer's answer: the slot with the recorded attempt and its bytes, or the reason not to sign. */
export type SignAnswer<F extends FamilyTypes = FamilyTypes> =
  | { slot: F["slot"]; raw: string }
  | Objection
  | Forbidden;

/**
 * All effects that the trading procedures have on the outside world. Functions on AWS carry them out one by one, and so
 * does the model that tests the procedures. If one fails, the run ends and the sweep retries it.
 */
export type Effects<F extends FamilyTypes = FamilyTypes> = {
  /** Reads the system clock, in milliseconds. */
  now: { ask: Record<never, never>; answer: number };
  pause: { ask: { ms: number }; answer: undefined };
  /**
   * Reads a lane and the amounts spent on the day, as do the next two effects. Naming a job that the lane is expected
   * to have saves time but does not change the answer.
   */
  readLane: {
    ask: { lane: LaneKey; day: string; job?: JobName | undefined; missed?: MissedToken | undefined };
    answer: LaneView<F>;
  };
  /**
   * Takes a lane that is reserved for this run, and reads it at the same time. Undefined if the step's condition
   * failed. The view may be from before the run took the lane.
   */
  beginLane: {
    ask: { take: TradeStep } & Effects<F>["readLane"]["ask"];
    answer: LaneView<F> | undefined;
  };
  /** Reads what a signature depends on and, at the same time, checks the MAC of the claimed order. */
  readSigning: {
    ask: { request: SignRequest<F>; day: string };
    answer: SigningView<F> & { isClaimGenuine?: boolean };
  };
  readPlacing: {
    ask: {
      lane: LaneKey;
      day: string;
      userID: string;
      key?: string;
      rests?: boolean;
      /** Token of an automatic buy. */
      automatic?: string;
      /** True for a buy that names no exits. */
      lacksExits?: boolean;
      /** The program key that places the order. */
      by?: string | undefined;
    };
    answer: PlacingView<F>;
  };
  readOrder: {
    ask: { userID: string; orderId: string };
    answer: { order: AnyOrder | undefined; slots: readonly SlotTerms[] };
  };
  /** Reads the user's open orders in the scope. */
  readOpenOrders: { ask: { scope: CutoffScope }; answer: readonly AnyOrder[] };
  /** Reads a resting order, even if it has ended. */
  readParent: { ask: { userID: string; orderId: string }; answer: StoredResting | undefined };
  /** Reads the user's resting orders in the scope. */
  readResting: { ask: { scope: CutoffScope }; answer: readonly StoredResting[] };
  /** Reads the lanes of the chain: all, or those that may have changed since a given time. */
  readLanes: { ask: { chain: LaneKey["chain"]; sinceMs?: number | undefined }; answer: readonly Lane[] };
  /** Writes one transaction. The answer is whether its conditions were met. */
  write: { ask: { step: TradeStep }; answer: boolean };
  /** Asks one host. The answer is undefined if the host fails or answers a different question. */
  hostSnapshot: {
    ask: { host: 0 | 1; question: Question<F> };
    answer: F["snapshot"] | undefined;
  };
  /** Asks both hosts about the transactions of a resting order's child. */
  childWords: { ask: { chain: LaneKey["chain"]; child: AskedChild }; answer: BothWords };
  /** Asks two hosts about a trade, at the same block if both reach the same block in time. */
  quote: {
    ask: { question: F["quoteQuestion"] };
    answer: HostAnswers<F>;
  };
  /**
   * Looks at a chain through one of the responding hosts, chosen by number. The answer is undefined if no host
   * responds. If `wantsFinal` is true, the answer includes the final block.
   */
  look: {
    ask: { chain: LaneKey["chain"]; host: number; heights: readonly number[]; wantsFinal: boolean };
    answer: Look | undefined;
  };
  /**
   * Asks a host for the hash of each transaction's block. The hash is empty if the transaction is in no block. The
   * answer is undefined if no host responds.
   */
  minedIn: {
    ask: { chain: LaneKey["chain"]; host: number; hashes: readonly string[] };
    answer: ReadonlyMap<string, string> | undefined;
  };
  readReaderLease: { ask: { chain: ReaderOf }; answer: ReaderLease | undefined };
  /** Changes a reader's lease, or creates it if no condition is given. The answer is whether the condition was met. */
  changeReaderLease: {
    ask: { chain: ReaderOf; when: LeaseCondition | undefined; set: Partial<ReaderLease> };
    answer: boolean;
  };
  /**
   * Finds out, by a consistent read, whether a reader is needed. A lane of the chain, or a client that follows markets,
   * may need it.
   */
  isReaderNeeded: { ask: { chain: ReaderOf }; answer: boolean };
  /** Reads once, before this run holds the lease. The answer is false if no host responds. */
  tryReader: { ask: { chain: ReaderOf }; answer: boolean };
  /** Invokes readChains without waiting for it. */
  startReader: { ask: Record<never, never>; answer: undefined };
  /**
   * Signs a message with the helper key of its route. The answer is undefined if the key no longer exists. A key is
   * deleted once it has signed a message.
   */
  signAsHelper: {
    ask: { intent: F["intent"]; message: F["helped"] };
    answer: string | undefined;
  };
  /** Invokes the signer. */
  sign: { ask: { request: SignRequest<F> }; answer: SignAnswer<F> };
  /**
   * Sends a transaction. It may have arrived even if sending fails, so only later answers from the chain are decisive.
   */
  send: {
    ask: { chain: LaneKey["chain"]; raw: string; to: Recipients };
    answer: "reached" | SendFailure;
  };
  /**
   * Invokes executeOrders for all orders of the lane, without waiting for it. The run expects to find the job in the
   * lane, takes the lane that is reserved for this order, and checks the token.
   */
  wake: {
    ask: { lane: LaneKey; job?: JobName; missed?: MissedToken; reservation?: string | undefined };
    answer: undefined;
  };
  makeMac: { ask: { intent: IntentTerms }; answer: string };
  makeMandateMac: { ask: { mandate: Mandate }; answer: string };
  /** Starts the watch over prices of resting orders, unless a run is alive. Does not wait for it. */
  startTriggers: { ask: Record<never, never>; answer: undefined };
  checkMac: { ask: { intent: IntentTerms; mac: string }; answer: boolean };
  /** Decrypts the wallet's key and signs. Signing the same transaction again returns the same bytes. */
  signBytes: {
    ask: { intent: F["intent"]; unsigned: F["unsigned"] };
    answer: { hash: string; raw: string } | Objection;
  };
};

export type Effect = { [Name in keyof Effects]: { do: Name } & Effects[Name]["ask"] }[keyof Effects];

/** A generator that yields effects one by one and resumes with each answer. */
export type Procedure<Result> = Generator<Effect, Result, Effects[keyof Effects]["answer"]>;

type Ask<Name extends keyof Effects, F extends FamilyTypes> = { do: Name } & Effects<F>[Name]["ask"];

/** Yields one effect and returns its answer. The types of the answer depend on the family that the caller names. */
export function* perform<Name extends keyof Effects, F extends FamilyTypes = FamilyTypes>(
  effect: Ask<Name, F>,
): Procedure<Effects<F>[Name]["answer"]> {
  return (yield effect as Effect) as Effects<F>[Name]["answer"];
}
