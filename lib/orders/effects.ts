import type { Look } from "./block.ts";
import type { Book } from "./book.ts";
import type { FamilyTypes, HostAnswers, SlotTerms } from "./family.ts";
import type { IntentTerms, LaneKey } from "./intent.ts";
import type {
  Job,
  JobName,
  Lane,
  LeaseCondition,
  Ledger,
  MissedToken,
  ReaderLease,
  ReaderOf,
  TradeStep,
  UsedKey,
} from "./table-step.ts";
import type { AnyOrder, TradeOrder } from "./trade-order.ts";
import type { Limits } from "./wallet-policy.ts";

/** Everything that a run needs about a wallet: its lane with jobs and slots, and the data of their users. */
export type LaneView<F extends FamilyTypes = FamilyTypes> = {
  lane: Lane | undefined;
  jobs: readonly Job[];
  slots: readonly F["slot"][];
  /** The orders of the jobs, oldest first. */
  orders: readonly TradeOrder<F>[];
  /** The books of its orders' tokens, and all users' books of the missed tokens. */
  books: readonly Book[];
  /** The tokens whose positions may exceed the wallet's balance. */
  missed?: readonly string[] | undefined;
  /** The users who have retired the wallet. */
  retired: ReadonlySet<string>;
  /** The ids of the orders that their users have cancelled. */
  cancelled: ReadonlySet<string>;
  /** Each user's current highest fee, in the unit of the chain's fees. */
  maxGasPrices: ReadonlyMap<string, bigint>;
  /** Each user's policy for the wallet, and the amount that they have spent. */
  limits: ReadonlyMap<string, Limits>;
  /** The bytes of each slot's newest attempt, by hash. Some may be missing. */
  bytes: ReadonlyMap<string, string>;
  /** True if an operator has stopped trading. */
  isStopped: boolean;
};

/** The facts that the signer checks. */
export type SigningView<F extends FamilyTypes = FamilyTypes> = {
  order: TradeOrder<F> | undefined;
  slot: F["slot"] | undefined;
  ledger: Ledger<F> | undefined;
  isRetired: boolean;
  isStopped: boolean;
  /** True if the user has cancelled the order. */
  isCancelled: boolean;
  maxGasPrice: bigint;
  limits: Limits;
  /** The operators' limits. */
  chainLimits: F["limits"];
};

/** The facts that are known before an order is placed. */
export type PlacingView<F extends FamilyTypes = FamilyTypes> = {
  used: UsedKey | undefined;
  /** The order that an earlier request placed with the same key. */
  order: AnyOrder | undefined;
  /** True if the user has the wallet, and it is not retired. */
  hasWallet: boolean;
  /** All users' unsettled orders of the wallet, and their number according to its lane. Absent without a lane. */
  laneOrders: readonly AnyOrder[];
  jobs: number | undefined;
  /** The user's settings for the chain. */
  settings: F["trader"]["settings"];
  isStopped: boolean;
  limits: Limits;
};

/** The facts about a chain that a run asks for. */
export type Question<F extends FamilyTypes = FamilyTypes> = LaneKey & {
  hashes: readonly string[];
  orders: readonly F["intent"][];
  /** The tokens whose balances are wanted. */
  missed?: readonly string[] | undefined;
} & F["question"];

export type SignRequest<F extends FamilyTypes = FamilyTypes> = LaneKey & {
  orderId: string;
  userID: string;
} & F["asked"];

/** Hosts put a transaction into the public pool. A relay hides it. */
export type Recipients = "hosts" | "relay" | "relay and hosts";

/** The transaction pays too little, or the wallet's coin does not pay for it. */
export type Refusal = "underpriced" | "unfunded";

/**
 * Reason for which nobody accepted a transaction. `unreached` covers silence, faults, and refusals for any other
 * reason.
 */
export type SendFailure = "unreached" | Refusal;

/** Reason for which the signer does not sign. `refused` is final; with `later`, it may sign when asked again. */
export type Objection = { refused: string } | { later: string };

/** The signer's answer: the slot with the recorded attempt, and its bytes, or an objection. */
export type SignAnswer<F extends FamilyTypes = FamilyTypes> = { slot: F["slot"]; raw: string } | Objection;

/**
 * Everything that the trading procedures do outside themselves. Functions on AWS carry these effects out one by one,
 * and so does the model that tests them. If one fails, the run ends; the sweep retries it.
 */
export type Effects<F extends FamilyTypes = FamilyTypes> = {
  /** Reads the machine's clock, in milliseconds. */
  now: { ask: Record<never, never>; answer: number };
  pause: { ask: { ms: number }; answer: undefined };
  /**
   * Reads a lane, with the amounts spent on the day. The next two effects read them too. A job that the lane is expected to
   * have saves time, and changes nothing in the answer.
   */
  readLane: {
    ask: { lane: LaneKey; day: string; job?: JobName | undefined; missed?: MissedToken | undefined };
    answer: LaneView<F>;
  };
  readSigning: { ask: { request: SignRequest<F>; day: string }; answer: SigningView<F> };
  readPlacing: {
    ask: { lane: LaneKey; day: string; userID: string; key?: string };
    answer: PlacingView<F>;
  };
  readOrder: {
    ask: { userID: string; orderId: string };
    answer: { order: AnyOrder | undefined; slots: readonly SlotTerms[] };
  };
  /** Reads all lanes of the chain. */
  readLanes: { ask: { chain: LaneKey["chain"] }; answer: readonly Lane[] };
  /** Writes one transaction. The answer is whether its conditions held. */
  write: { ask: { step: TradeStep }; answer: boolean };
  /** Asks one host. There is no answer if the host fails or answers another question. */
  hostSnapshot: {
    ask: { host: 0 | 1; question: Question<F> };
    answer: F["snapshot"] | undefined;
  };
  /** Asks two hosts about a trade, at the same block if they both have one in time. */
  quote: {
    ask: { question: F["quoteQuestion"] };
    answer: HostAnswers<F>;
  };
  /**
   * Looks at a chain by one of the hosts that answer, given by its number. There is no answer if none responds. With
   * `wantsFinal`, the answer names the final block.
   */
  look: {
    ask: { chain: LaneKey["chain"]; host: number; heights: readonly number[]; wantsFinal: boolean };
    answer: Look | undefined;
  };
  /**
   * Asks a host for the hash of the block of each transaction, empty for those in no block. There is no answer if none
   * responds.
   */
  minedIn: {
    ask: { chain: LaneKey["chain"]; host: number; hashes: readonly string[] };
    answer: ReadonlyMap<string, string> | undefined;
  };
  readReaderLease: { ask: { chain: ReaderOf }; answer: ReaderLease | undefined };
  /** Changes the lease of a reader, or creates it if there is no condition. The answer is whether the condition held. */
  changeReaderLease: {
    ask: { chain: ReaderOf; when: LeaseCondition | undefined; set: Partial<ReaderLease> };
    answer: boolean;
  };
  /** Finds out, consistently, whether anything waits for a reader: a lane of the chain, or a client that follows markets. */
  isReaderNeeded: { ask: { chain: ReaderOf }; answer: boolean };
  /** Reads once, before this run has the lease. The answer is false if no host responds. */
  tryReader: { ask: { chain: ReaderOf }; answer: boolean };
  /** Invokes readChains without waiting for it. */
  startReader: { ask: Record<never, never>; answer: undefined };
  /**
   * Signs a message with the helper key of its route. There is no answer if the key is gone, as it is after a message
   * has been signed.
   */
  signAsHelper: {
    ask: { intent: F["intent"]; message: F["helped"] };
    answer: string | undefined;
  };
  /** Invokes the signer. */
  sign: { ask: { request: SignRequest<F> }; answer: SignAnswer<F> };
  /**
   * Sends a transaction. After a failure, it may still have arrived. Later answers from the chain decide.
   */
  send: {
    ask: { chain: LaneKey["chain"]; raw: string; to: Recipients };
    answer: "reached" | SendFailure;
  };
  /**
   * Invokes executeOrders for all orders of the lane, without waiting. The run expects the job in the lane, and checks
   * the token.
   */
  wake: { ask: { lane: LaneKey; job?: JobName; missed?: MissedToken }; answer: undefined };
  makeMac: { ask: { intent: IntentTerms }; answer: string };
  checkMac: { ask: { intent: IntentTerms; mac: string }; answer: boolean };
  /** Decrypts the wallet's key and signs. The same transaction has the same bytes each time. */
  signBytes: {
    ask: { intent: F["intent"]; unsigned: F["unsigned"] };
    answer: { hash: string; raw: string } | Objection;
  };
};

export type Effect = { [Name in keyof Effects]: { do: Name } & Effects[Name]["ask"] }[keyof Effects];

/** A procedure yields effects one by one, and is resumed with each answer. */
export type Procedure<Result> = Generator<Effect, Result, Effects[keyof Effects]["answer"]>;

type Ask<Name extends keyof Effects, F extends FamilyTypes> = { do: Name } & Effects<F>[Name]["ask"];

/**
 * Yields one effect and returns its answer. The caller names the family, because the answer has that family's types.
 */
export function* perform<Name extends keyof Effects, F extends FamilyTypes = FamilyTypes>(
  effect: Ask<Name, F>,
): Procedure<Effects<F>[Name]["answer"]> {
  return (yield effect as Effect) as Effects<F>[Name]["answer"];
}
