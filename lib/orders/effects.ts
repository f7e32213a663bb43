import type { SendFailure } from "../chains/evm/rules/slot.ts";
import type { HostAnswers, OrderSettingsOf, Quoting } from "../chains/families/quoting.ts";
import type { AnyIntent, AnySlot, Families, Family } from "../chains/families/types.ts";
import type { SolIntent } from "../chains/sol/rules/intent.ts";
import type { SolMessage } from "../chains/sol/rules/message.ts";
import type { Look } from "./block.ts";
import type { Book } from "./book.ts";
import type { LaneKey, UnsignedTransaction } from "./intent.ts";
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
export type LaneView<F extends Family = "evm"> = {
  lane: Lane | undefined;
  jobs: readonly Job[];
  slots: readonly Families[F]["slot"][];
  /** The orders of the jobs, oldest first. */
  orders: readonly TradeOrder<F>[];
  /** Those of its orders, and of all users of the wallet for the missed tokens. */
  books: readonly Book[];
  /** The tokens of which positions may count more than the wallet has. */
  missed?: readonly string[] | undefined;
  /** The users who have retired the wallet. */
  retired: ReadonlySet<string>;
  /** The ids of the orders that their users have cancelled. */
  cancelled: ReadonlySet<string>;
  /** Each user's current highest gas price, in wei. */
  maxGasPrices: ReadonlyMap<string, bigint>;
  /** Each user's policy for the wallet, and the amount that they have spent. */
  limits: ReadonlyMap<string, Limits>;
  /** The bytes of each slot's newest attempt, by hash. Some may be missing. */
  bytes: ReadonlyMap<string, string>;
  /** True if an operator has stopped trading. */
  isStopped: boolean;
};

/** The facts that the signer checks. */
export type SigningView<F extends Family = "evm"> = {
  order: TradeOrder<F> | undefined;
  slot: Families[F]["slot"] | undefined;
  ledger: Ledger<F> | undefined;
  isRetired: boolean;
  isStopped: boolean;
  /** True if the user has cancelled the order. */
  isCancelled: boolean;
  maxGasPrice: bigint;
  limits: Limits;
  /** The operators' limits. */
  chainLimits: Families[F]["limits"];
};

/** The facts that are known before an order is placed. */
export type PlacingView<F extends Family = "evm"> = {
  used: UsedKey | undefined;
  /** The order that an earlier request placed with the same key. */
  order: AnyOrder | undefined;
  /** True if the user has the wallet, and it is not retired. */
  hasWallet: boolean;
  /** All users' unsettled orders of the wallet, and their number according to its lane. Absent without a lane. */
  laneOrders: readonly AnyOrder[];
  jobs: number | undefined;
  /** The user's settings for the chain. Absent for a network on which orders cannot be executed. */
  settings: OrderSettingsOf<F> | undefined;
  isStopped: boolean;
  limits: Limits;
};

/** The facts about a chain that a run asks for. */
export type Question<F extends Family = "evm"> = LaneKey & {
  hashes: readonly string[];
  orders: readonly Families[F]["intent"][];
  /** The tokens whose balances are wanted. */
  missed?: readonly string[] | undefined;
} & Families[F]["question"];

export type SignRequest<F extends Family = "evm"> = LaneKey & {
  orderId: string;
  userID: string;
} & Families[F]["asked"];

/** Hosts put a transaction into the public pool. A relay hides it. */
export type Recipients = "hosts" | "relay" | "relay and hosts";

/** Why the signer does not sign. `refused` is final; with `later`, it may sign when asked again. */
export type Objection = { refused: string } | { later: string };

/** The signer's answer: the slot with the recorded attempt, and its bytes, or an objection. */
export type SignAnswer<F extends Family = "evm"> = { slot: Families[F]["slot"]; raw: string } | Objection;

/**
 * Everything that the trading procedures do outside themselves. Functions on AWS carry these effects out one by one,
 * and so does the model that tests them. If one fails, the run ends; the sweep retries it.
 */
export type Effects = {
  /** Reads the machine's clock, in milliseconds. */
  now: { ask: Record<never, never>; answer: number };
  pause: { ask: { ms: number }; answer: undefined };
  /**
   * Reads a lane, with the amounts spent on the day. The next two effects read them too. A job that the lane is expected to
   * have saves time, and changes nothing in the answer.
   */
  readLane: {
    ask: { lane: LaneKey; day: string; job?: JobName | undefined; missed?: MissedToken | undefined };
    answer: LaneView<Family>;
  };
  readSigning: { ask: { request: SignRequest<Family>; day: string }; answer: SigningView<Family> };
  readPlacing: {
    ask: { lane: LaneKey; day: string; userID: string; key?: string };
    answer: PlacingView<Family>;
  };
  readOrder: {
    ask: { userID: string; orderId: string };
    answer: { order: AnyOrder | undefined; slots: readonly AnySlot[] };
  };
  /** Reads all lanes of the chain. */
  readLanes: { ask: { chain: LaneKey["chain"] }; answer: readonly Lane[] };
  /** Writes one transaction. The answer is whether its conditions held. */
  write: { ask: { step: TradeStep }; answer: boolean };
  /** Asks one host. There is no answer if the host fails or answers another question. */
  hostSnapshot: {
    ask: { host: 0 | 1; question: Question<Family> };
    answer: Families[Family]["snapshot"] | undefined;
  };
  /** Asks two hosts about a trade, on EVM chains at the same block if they see one in time. */
  quote: {
    ask: { question: Quoting[Family]["question"] };
    answer: { [F in Family]: HostAnswers<F> }[Family];
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
   * Signs a message as the helper key of its route by Jupiter, in base58. There is no answer if the key is gone, as it
   * is after a message has been signed.
   */
  signAsHelper: { ask: { intent: SolIntent; message: SolMessage }; answer: string | undefined };
  /** Invokes the signer. */
  sign: { ask: { request: SignRequest<Family> }; answer: SignAnswer<Family> };
  /**
   * Sends a transaction. After a failure, it may still have arrived. Later answers from the chain decide.
   */
  send: {
    ask: { chain: LaneKey["chain"]; raw: string; to: Recipients };
    answer: "reached" | SendFailure;
  };
  /** Invokes executeOrders without waiting for it, for all orders of the lane. It expects the job there, and checks the token. */
  wake: { ask: { lane: LaneKey; job?: JobName; missed?: MissedToken }; answer: undefined };
  makeMac: { ask: { intent: AnyIntent }; answer: string };
  checkMac: { ask: { intent: AnyIntent; mac: string }; answer: boolean };
  /** Decrypts the wallet's key and signs. The same transaction has the same bytes each time. */
  signBytes: {
    ask: { transaction: UnsignedTransaction; userID: string };
    answer: { hash: string; raw: string } | Objection;
  };
  /** Does the same with the only message that an order on Solana allows. */
  signMessage: {
    ask: { intent: SolIntent; message: SolMessage; helperSignature?: string | undefined };
    answer: { hash: string; raw: string } | Objection;
  };
};

export type Effect = { [Name in keyof Effects]: { do: Name } & Effects[Name]["ask"] }[keyof Effects];

/** A procedure yields effects one by one, and is resumed with each answer. */
export type Procedure<Result> = Generator<Effect, Result, Effects[keyof Effects]["answer"]>;

type Ask<Name extends keyof Effects> = { do: Name } & Effects[Name]["ask"];

/** Yields one effect, and returns its answer. */
export function* perform<Name extends keyof Effects>(effect: Ask<Name>): Procedure<Effects[Name]["answer"]> {
  return (yield effect as Effect) as Effects[Name]["answer"];
}
