import type * as v from "valibot";
import { atMost, type Condition, type Matching, type When } from "../table/step.ts";
import type { BlockName } from "./block.ts";
import type { Book, BookKey } from "./book.ts";
import type { Position } from "./execution.ts";
import type { FamilyTypes, SlotTerms } from "./family.ts";
import type { IntentTerms, LaneKey } from "./intent.ts";
import type { ledgerOwner } from "./schemas.ts";
import type { AnyOrder } from "./trade-order.ts";
import type { DaySpend, PolicyKey, PolicyRecord } from "./wallet-policy.ts";

/** The events that a lane waits for between runs. The functions that watch the chain wake it. */
export type LaneWatch = {
  /** The jobs that the run knew of. */
  jobs: number;
  /**
   * The block that each signed transaction was seen in, by its hash. Empty if it was in none, and absent if another one
   * of its place was. Lanes of earlier versions have only the hash of the block.
   */
  blocks: Readonly<Record<string, BlockName | string>>;
  /** The first final block with which an outcome may be final. */
  finalFrom?: number;
  /** The time when the lane is due even if nothing happens on the chain. */
  dueAtMs?: number;
  /** The time from which the sweep makes sure that no reader has missed what the lane waits for. */
  lookAgainAtMs?: number;
  /** Tokens that positions still count, but the wallet no longer holds. */
  departures?: readonly Departure[];
  /** The time since which one of its orders could continue, but nothing has happened to it. */
  idleSinceMs?: number;
};

/** Tokens that two hosts saw missing from a wallet. Kept until the blocks of both answers are final. */
export type Departure = {
  token: string;
  /** The wallet's remaining units, as text. */
  held: string;
  /** The revision of each user's book. A later revision has a newer fill, so the balance must be read again. */
  revisions: Readonly<Record<string, number>>;
  seenIn: readonly BlockName[];
};

/** A position that is larger than the wallet's balance. */
export type MissedToken = { userID: string; token: string };

/** The right to work on a wallet's orders, and how many of them are not settled. Exists while there are any. */
export type Lane = LaneKey & {
  /** A random id of the run that may write, while there is one. Never a counter: a counter starts again with the lane. */
  holder?: string;
  leaseUntilMs?: number;
  jobs: number;
  watch?: LaneWatch;
};

/** The subject of a reader: a chain, for all lanes, or the markets of all chains. */
export type ReaderOf = LaneKey["chain"] | "markets";

/** The right to read. One run of readChains has it at a time for each chain, and one of readMarkets. */
export type ReaderLease = {
  /** A random id of the run. */
  run: string;
  /** Grows with each run that takes over. */
  epoch: number;
  /** The code of the run. */
  build: string;
  startedAtMs: number;
  heartbeatMs: number;
  /** True once the run has ended because nobody needed it. */
  isEnded?: boolean | undefined;
};

/** The fields that a change of the lease may require. */
export type LeaseCondition = Partial<ReaderLease>;

/** An order that is not settled, in its wallet's lane. */
export type Job = LaneKey & {
  orderId: string;
  userID: string;
  token: string;
  /** The facts of both hosts when the order was placed, as text for its first run. */
  facts?: string;
};

/** The keys by which a run reads the records of a lane's order. */
export type JobName = Pick<Job, "orderId" | "userID" | "token">;

/** The record of all that the signer has signed for an order. Only the signer may write it. */
export type Ledger<F extends FamilyTypes = FamilyTypes> = LedgerTerms & F["signed"] & { revision: number };

type LedgerTerms = v.InferOutput<typeof ledgerOwner>;

/** Returns the terms of an intent that its ledger repeats. Readers of the ledger can trust them. */
export const ledgerTerms = ({ orderId, userID, chain, wallet, validUntil }: IntentTerms): LedgerTerms => ({
  orderId,
  userID,
  chain,
  wallet,
  validUntil,
});

/**
 * The bytes of a signed transaction, by its hash. Anybody who has them can send them, so only the signer writes them, and
 * only executeOrders reads them.
 */
export type SignedBytes = LaneKey & {
  hash: string;
  raw: string;
  /** In seconds. The signer can sign the same bytes again. */
  expiresAt: number;
};

/**
 * The user has cancelled an order. Only the function that cancels may write it, so the signer trusts it more than the
 * order's own state.
 */
export type Cancellation = {
  userID: string;
  orderId: string;
  /** In seconds. Long after the time when the order could be filled. */
  expiresAt: number;
};

/** An idempotency key that was used. It does not expire. */
export type UsedKey = { userID: string; key: string; orderId: string; fingerprint: string };

export type TradingWallet = LaneKey & { userID: string; retiredAt?: string };

/** The items of the table that trading uses. */
export type Items = {
  lane: Lane;
  job: Job;
  slot: SlotTerms;
  order: AnyOrder;
  ledger: Ledger;
  bytes: SignedBytes;
  cancellation: Cancellation;
  key: UsedKey;
  book: Book;
  held: BookKey;
  position: Position & { userID: string };
  wallet: TradingWallet;
  policy: PolicyRecord;
  day: DaySpend;
};

export type Kind = keyof Items;

/** The fields that name an item of each kind. */
export type Names = {
  lane: LaneKey;
  job: LaneKey & { orderId: string };
  slot: LaneKey & { place: number };
  order: { intent: Pick<IntentTerms, "userID" | "orderId"> };
  ledger: { orderId: string };
  bytes: LaneKey & { hash: string };
  cancellation: { userID: string; orderId: string };
  key: { userID: string; key: string };
  book: BookKey;
  held: BookKey;
  position: { userID: string; positionId: string };
  wallet: LaneKey & { userID: string };
  policy: PolicyKey;
  day: PolicyKey & { day: string };
};

/** Holds if the item does not exist, or has these values. */
export type ItemCondition<K extends Kind> = "absent" | Matching<Items[K]>;

/** The table's writes, of items that are named by their kind. */
type PutOf<K extends Kind> = { kind: "put"; of: K; item: Items[K]; when: ItemCondition<K> };
type RemoveOf<K extends Kind> = { kind: "remove"; of: K; item: Names[K]; when: ItemCondition<K> };
type CheckOf<K extends Kind> = { kind: "check"; of: K; item: Names[K]; when: ItemCondition<K> };

/**
 * Changes a lane in place, since placing an order adds a job even while a run holds the lane. Without a condition it
 * creates the lane.
 */
export type LaneChange = {
  kind: "change";
  of: "lane";
  item: LaneKey;
  set?: { readonly [Name in "holder" | "leaseUntilMs" | "watch"]?: Lane[Name] | undefined };
  add?: { jobs: number };
  when?: When<Lane>;
};

/** Holds if the lane exists and no run holds it at the given time. */
export const isFreeAt = (nowMs: number): Condition<Lane>[] => [
  { holder: undefined },
  { leaseUntilMs: atMost(nowMs) },
];

/** Kinds that other functions write too, or that are written once and for all. */
type Special = "wallet" | "policy" | "cancellation" | "bytes" | "held";

export type ItemWrite =
  | { [K in Exclude<Kind, Special>]: PutOf<K> | RemoveOf<K> | CheckOf<K> }[Exclude<Kind, Special>]
  | { [K in Exclude<Special, "held">]: CheckOf<K> }[Exclude<Special, "held">]
  | { kind: "put"; of: "held"; item: BookKey; when?: undefined }
  | { kind: "remove"; of: "held"; item: BookKey; when?: undefined }
  | { kind: "put"; of: "cancellation"; item: Cancellation; when?: undefined }
  | { kind: "put"; of: "bytes"; item: SignedBytes; when?: undefined }
  | LaneChange;

/**
 * The condition of an order's next version. It names the version too, so that who writes the step can see whether clients
 * see a difference.
 */
export const unchanged = ({ revision, version }: AnyOrder): ItemCondition<"order"> => ({
  revision,
  version,
});

/** A step of the trading core. */
export type TradeStep = readonly ItemWrite[];
