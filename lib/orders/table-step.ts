import type * as v from "valibot";
import type { Network } from "../core/network.ts";
import type { EarnedFill } from "../rewards/earned-row.ts";
import { atMost, type Condition, type Matching, type When } from "../table/step.ts";
import type { AutomaticBuy } from "./automatic-buy.ts";
import type { BlockName } from "./block.ts";
import type { Book, BookKey } from "./book.ts";
import type { Position } from "./execution.ts";
import type { FamilyTypes, SlotTerms } from "./family.ts";
import type { IntentTerms, LaneKey } from "./intent.ts";
import type { StoredPreset } from "./preset.ts";
import type { ProgramKey, ProgramKeyName } from "./program-key.ts";
import type { Ended, Mandate, Tally } from "./resting/mandate.ts";
import type { StoredResting, Trigger } from "./resting/stored.ts";
import type { ledgerOwner } from "./schemas.ts";
import type { AnyOrder } from "./trade-order.ts";
import type { DaySpend, PolicyKey, PolicyRecord } from "./wallet-policy.ts";

/** Events that a lane waits for between runs. The functions that read the chain wake the lane. */
export type LaneWatch = {
  /** Number of jobs that the run knew about. */
  jobs: number;
  /**
   * The block in which each signed transaction was seen, by the transaction's hash. The block is empty if the
   * transaction was in no block. There is no entry if another transaction for the same place was in a block. Lanes of
   * earlier versions have only the block's hash.
   */
  blocks: Readonly<Record<string, BlockName | string>>;
  /** Number of the first block that must be final before an outcome may be final. */
  finalFrom?: number;
  /** Time of this note, if the lane only waits for known blocks to become final. */
  settlingSinceMs?: number;
  /** Time at which the lane is due even if nothing happens on the chain. */
  dueAtMs?: number;
  /** Time from which the sweep checks that no reader has missed an event that the lane waits for. */
  lookAgainAtMs?: number;
  /** Tokens that positions still include but the wallet no longer holds. */
  departures?: readonly Departure[];
  /** Time since which one of the lane's orders has not changed although it could continue. */
  idleSinceMs?: number;
};

/** Tokens that two hosts saw missing from a wallet. This note is kept until the blocks of both answers are final. */
export type Departure = {
  token: string;
  /** Units that remain in the wallet, as text. */
  held: string;
  /**
   * Revision of each user's book. If the revision has changed, the book has a newer fill, and the balance must be read
   * again.
   */
  revisions: Readonly<Record<string, number>>;
  seenIn: readonly BlockName[];
};

/** A position that is larger than the wallet's balance. */
export type MissedToken = { userID: string; token: string };

/** The right to work on a wallet's orders, with the number of unsettled orders. It exists as long as there are any. */
export type Lane = LaneKey & {
  /**
   * Random id of the run that may currently write. A counter cannot be used, because it would start again with each new
   * lane.
   */
  holder?: string;
  leaseUntilMs?: number;
  jobs: number;
  watch?: LaneWatch;
};

/** The subject of a reader: the lanes of a chain, the prices of resting orders, or the markets of all chains or of one. */
export type ReaderOf = LaneKey["chain"] | "triggers" | "markets" | `markets ${LaneKey["chain"]}`;

/** The right to read. One run of readChains holds it for each chain, and one run of readMarkets for the markets. */
export type ReaderLease = {
  /** Random id of the run that currently reads. */
  run: string;
  /** Number of the run. It increases whenever another run takes over. */
  epoch: number;
  /** Version of the code that the run executes. */
  build: string;
  startedAtMs: number;
  heartbeatMs: number;
  /** Duration of the run's shift. Absent if shifts end at full ten minutes. */
  shiftMs?: number | undefined;
  /** True once the run has ended because nobody needed it. */
  isEnded?: boolean | undefined;
  /** Time from which nothing of the previous run is under way. Absent until that run has said so. */
  handedOverMs?: number | undefined;
  /** Number of the previous run. */
  previous?: number | undefined;
  /** Chains that the run leaves to runs of their own. */
  apart?: readonly LaneKey["chain"][] | undefined;
};

/** Fields that may be required to be unchanged when the lease is changed. */
export type LeaseCondition = Partial<ReaderLease>;

/** An unsettled order in its wallet's lane. */
export type Job = LaneKey & {
  orderId: string;
  userID: string;
  token: string;
  /** The facts that both hosts gave when the order was placed, as text for the order's first run. */
  facts?: string;
};

/** The keys with which a run reads the records of one of a lane's orders. */
export type JobName = Pick<Job, "orderId" | "userID" | "token">;

/** Record of everything that the signer has signed for an order. Only the signer may write it. */
export type Ledger<F extends FamilyTypes = FamilyTypes> = LedgerTerms & F["signed"] & { revision: number };

type LedgerTerms = v.InferOutput<typeof ledgerOwner>;

/** Returns the terms of an intent that are repeated in its ledger. Readers can trust the ledger's copy. */
export const ledgerTerms = ({ orderId, userID, chain, wallet, validUntil }: IntentTerms): LedgerTerms => ({
  orderId,
  userID,
  chain,
  wallet,
  validUntil,
});

/**
 * Bytes of a signed transaction, by its hash. Anybody who has the bytes can send the transaction, so only the signer
 * writes them, and only executeOrders reads them.
 */
export type SignedBytes = LaneKey & {
  hash: string;
  raw: string;
  /** Expiry in seconds. If the bytes are needed later, the signer can produce the same bytes again. */
  expiresAt: number;
};

/**
 * A user's cancellation of an order. It never expires. Only functions that cancel orders may write it, so the signer
 * trusts it more than the order's own state.
 */
export type Cancellation = { userID: string; orderId: string };

/** The orders of a user that are cancelled together: all, those on a chain, or those of a wallet on it. */
export type CutoffScope = {
  userID: string;
  chain?: Network | undefined;
  /** Needs `chain`. */
  wallet?: string | undefined;
};

/**
 * Times in milliseconds up to which a user's orders are cancelled: `before` for all wallets or for one, and a field for
 * each chain on which all were cancelled. They only grow and never expire, and the same functions write them as
 * cancellations.
 */
export type Cutoff = { userID: string; before?: number } & { readonly [Chain in Network]?: number };

/** A used idempotency key. It never expires. */
export type UsedKey = { userID: string; key: string; orderId: string; fingerprint: string };

/**
 * Number of requests in one part of a user's requests that have added resting orders. Each request raises it. So among
 * simultaneous ones, only one of each part adds orders, and the others must count again.
 */
export type RestingTurn = { userID: string; part: number; count: number };

export type TradingWallet = LaneKey & { userID: string; retiredAt?: string };

/** Items of the table that trading uses. */
export type Items = {
  lane: Lane;
  job: Job;
  slot: SlotTerms;
  order: AnyOrder;
  ledger: Ledger;
  bytes: SignedBytes;
  cancellation: Cancellation;
  cutoff: Cutoff;
  key: UsedKey;
  book: Book;
  held: BookKey;
  position: Position & { userID: string };
  wallet: TradingWallet;
  policy: PolicyRecord;
  preset: StoredPreset;
  automaticBuy: AutomaticBuy;
  restingTurn: RestingTurn;
  day: DaySpend;
  programKey: ProgramKey;
  /** What was signed by a program key on a chain and day. */
  keyDay: DaySpend;
  tally: Tally;
  ended: Ended;
  resting: StoredResting;
  trigger: Trigger;
  /** A resting order that has ended. */
  rested: StoredResting;
  earned: EarnedFill;
};

export type Kind = keyof Items;

/** Fields of a mandate that identify its resting order. */
export type RestingName = Pick<Mandate, "userID" | "chain" | "wallet" | "token" | "orderId">;

/** Fields that identify an item of each kind. */
export type Names = {
  lane: LaneKey;
  job: LaneKey & { orderId: string };
  slot: LaneKey & { place: number };
  order: { intent: Pick<IntentTerms, "userID" | "orderId"> };
  ledger: { orderId: string };
  bytes: LaneKey & { hash: string };
  cancellation: { userID: string; orderId: string };
  /** The cutoff of one wallet, or that of all wallets for the checks of one lane. */
  cutoff: { userID: string } & (LaneKey | { lane: LaneKey; chain?: undefined; wallet?: undefined });
  key: { userID: string; key: string };
  book: BookKey;
  held: BookKey;
  position: { userID: string; positionId: string };
  wallet: LaneKey & { userID: string };
  policy: PolicyKey;
  preset: { userID: string; chain: Network };
  automaticBuy: Omit<AutomaticBuy, "atMs">;
  restingTurn: Omit<RestingTurn, "count">;
  day: PolicyKey & { day: string };
  programKey: ProgramKeyName;
  keyDay: Pick<DaySpend, "userID" | "chain" | "wallet" | "day">;
  tally: { orderId: string };
  ended: { orderId: string };
  resting: { mandate: RestingName };
  trigger: Pick<RestingName, "chain" | "token" | "orderId">;
  rested: { mandate: Pick<RestingName, "userID" | "orderId"> };
  earned: Pick<EarnedFill, "userID" | "at" | "orderId">;
};

/** Requires that the item does not exist, or that its fields have these values. */
export type ItemCondition<K extends Kind> = "absent" | Matching<Items[K]>;

/** Writes to the table. Each one writes an item of the named kind. */
type PutOf<K extends Kind> = { kind: "put"; of: K; item: Items[K]; when: ItemCondition<K> };
type RemoveOf<K extends Kind> = { kind: "remove"; of: K; item: Names[K]; when: ItemCondition<K> };
type CheckOf<K extends Kind> = { kind: "check"; of: K; item: Names[K]; when: ItemCondition<K> };

/**
 * Changes single fields of a lane, because placing an order adds a job even while a run holds the lane. Creates the
 * lane if no condition is given.
 */
export type LaneChange = {
  kind: "change";
  of: "lane";
  item: LaneKey;
  set?: { readonly [Name in "holder" | "leaseUntilMs" | "watch"]?: Lane[Name] | undefined };
  add?: { jobs: number };
  when?: When<Lane>;
};

/** Changes a single field of a cutoff. Creates the item if needed. */
type CutoffRise = {
  kind: "raise";
  of: "cutoff";
  item: CutoffScope;
  set?: Readonly<Record<string, number>>;
  add?: Readonly<Record<string, number>>;
  when?: When | undefined;
};

/** Requires that the lane exists and that no run holds it at the given time. */
export const isFreeAt = (nowMs: number): Condition<Lane>[] => [
  { holder: undefined },
  { leaseUntilMs: atMost(nowMs) },
];

/** Kinds of items that other functions also write, or that are written only once. */
type Special =
  | "wallet"
  | "policy"
  | "programKey"
  | "preset"
  | "cancellation"
  | "cutoff"
  | "bytes"
  | Unchecked;

type Unchecked = "automaticBuy" | "held" | "trigger" | "rested" | "earned";

export type ItemWrite =
  | { [K in Exclude<Kind, Special>]: PutOf<K> | RemoveOf<K> | CheckOf<K> }[Exclude<Kind, Special>]
  | { [K in Exclude<Special, Unchecked>]: CheckOf<K> }[Exclude<Special, Unchecked>]
  | { kind: "put"; of: "automaticBuy"; item: AutomaticBuy; when: When<AutomaticBuy> }
  | { kind: "put"; of: "held"; item: BookKey; when?: undefined }
  | { kind: "remove"; of: "held"; item: BookKey; when?: undefined }
  | { kind: "put"; of: "trigger"; item: Trigger; when?: undefined }
  | { kind: "remove"; of: "trigger"; item: Names["trigger"]; when?: undefined }
  | { kind: "put"; of: "rested"; item: StoredResting; when?: undefined }
  | { kind: "put"; of: "earned"; item: EarnedFill; when?: undefined }
  | { kind: "put"; of: "cancellation"; item: Cancellation; when?: undefined }
  | { kind: "put"; of: "bytes"; item: SignedBytes; when?: undefined }
  | CutoffRise
  | LaneChange;

/**
 * Requires the order's current revision. Also names `version`, so that the code that writes the step can tell whether
 * clients see a difference.
 */
export const unchanged = ({ revision, version }: AnyOrder): ItemCondition<"order"> => ({
  revision,
  version,
});

/** One step of the trading core. */
export type TradeStep = readonly ItemWrite[];
