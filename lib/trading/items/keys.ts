import { createHash } from "node:crypto";
import { type ExecutionKind, executionKinds } from "../../core/execution-words.ts";
import type { Network } from "../../core/network.ts";
import type { BookKey } from "../../orders/book.ts";
import type { LaneKey } from "../../orders/intent.ts";
import type { ProgramKeyName } from "../../orders/program-key.ts";
import type { Names, ReaderOf, RestingName } from "../../orders/table-step.ts";
import type { PolicyKey } from "../../orders/wallet-policy.ts";
import {
  type ItemName,
  itemAt,
  itemKey,
  type Key,
  type KeyRange,
  newestFirst,
  rangeOf,
  sortKeysOf,
} from "../../table/keys.ts";
import { earlierStops } from "../../table/layout.ts";

export const executionKey = (userID: string, kind: ExecutionKind, id: string): Key =>
  itemKey(kind, { userID, orderId: id, positionId: id });

export const executionsOf = (userID: string, kind: ExecutionKind): KeyRange => rangeOf(kind, { userID });

/** An order or a position of a token by another engine. */
export type OpenName = { userID: string; chain: Network; token: string; kind: ExecutionKind; id: string };

export const openExecutionKey = (name: OpenName): Key => itemKey("openExecution", name);

export const openExecutionsOf = ({ userID, chain, token }: Omit<OpenName, "kind" | "id">): KeyRange =>
  rangeOf("openExecution", { userID, chain, token });

/** Returns whether an item is an order or a position, or undefined if it is neither. */
export const executionKindOf = (key: Key): ExecutionKind | undefined =>
  executionKinds.find((kind) => itemAt(key) === kind);

const listed = { order: "listedOrder", position: "listedPosition" } as const;

export const listedExecutionKey = (userID: string, kind: ExecutionKind, start: Date, id: string): Key =>
  itemKey(listed[kind], { userID, newestFirst: newestFirst(start), orderId: id, positionId: id });

export const listedExecutionsOf = (userID: string, kind: ExecutionKind): KeyRange =>
  rangeOf(listed[kind], { userID });

export const tradeKey = (userID: string, orderId: string): Key => itemKey("trade", { userID, orderId });

export const bookKey = ({ userID, chain, wallet, token }: BookKey): Key =>
  itemKey("book", { userID, chain, wallet, token });

/**
 * A used key is stored apart from its order and never deleted; otherwise a repeated request would place a second order.
 * The item's name contains the operation, so that keys of two operations never collide.
 */
export const usedKeyKey = (
  userID: string,
  operation: "placeOrder" | "createWallet" | "importWallet",
  key: string,
): Key => itemKey("usedKey", { userID, operation, key });

export const presetKey = ({ userID, chain }: Names["preset"]): Key => itemKey("preset", { userID, chain });

/** Stores an automatic buy next to the used keys, since it too keeps a second order from being placed. */
export const automaticBuyKey = ({ userID, chain, token }: Names["automaticBuy"]): Key =>
  itemKey("automaticBuy", { userID, chain, token });

export const restingTurnKey = ({ userID, part }: Names["restingTurn"]): Key =>
  itemKey("restingTurn", { userID, part });

/**
 * Number of parts of a user's requests. A request adds at most four orders, so the limit is exceeded by at most eight.
 */
const turnParts = 3;

/** Names the turn of a request, by its idempotency key. */
export const restingTurnOf = ({ userID, key }: Names["key"]): Names["restingTurn"] => ({
  userID,
  part: digestOf([key]).readUInt32BE() % turnParts,
});

/** Default number of shards for lanes. Readers always read these shards. */
export const defaultLaneShards = 2;

export const mostLaneShards = 256;

export const laneKey = ({ chain, wallet }: LaneKey, shard: number): Key =>
  itemKey("lane", { chain, shard, wallet });

export const lanesOf = (chain: Network, shard: number): KeyRange => rangeOf("lane", { chain, shard });

export const laneShardsKey = (chain: Network): Key => itemKey("laneShards", { chain, shard: 0 });

/** Covers the lanes in shard 0, and the noted number of shards. */
export const lanesAndShardsOf = (chain: Network): KeyRange =>
  rangeOf("lane", { chain, shard: 0 }, "laneShards");

export const lanePlaceKey = ({ chain, wallet }: LaneKey): Key => itemKey("lanePlace", { chain, wallet });

/** Duration of a turn. In each turn, the sweep checks each held token once. */
export const heldMinutes = 360;

export const heldTurnAt = (nowMs: number): number => Math.floor(nowMs / 60_000 / heldMinutes);

const digestOf = (parts: readonly (string | number)[]) =>
  createHash("sha256").update(JSON.stringify(parts)).digest();

export function heldTokenKey({ userID, chain, wallet, token }: BookKey): Key {
  const digest = digestOf([userID, chain, wallet, token]);
  return itemKey("heldToken", {
    chain,
    minute: digest.readUInt32BE() % heldMinutes,
    hash: digest.toString("hex", 4),
  });
}

/**
 * Covers the held tokens of a minute by two ranges. Each turn starts at a different token, so that all tokens are
 * checked in time even if only the first few of a range are read.
 */
export function heldTokensAt(chain: Network, nowMs: number): [KeyRange, KeyRange] {
  const minute = Math.floor(nowMs / 60_000) % heldMinutes;
  const range = rangeOf("heldToken", { chain, minute });
  const hash = digestOf([heldTurnAt(nowMs)]).toString("hex", 4);
  const { from } = rangeOf("heldToken", { chain, minute, hash });
  return [
    { ...range, from },
    { ...range, to: from },
  ];
}

export const jobKey = ({ chain, wallet }: LaneKey, orderId: string): Key =>
  itemKey("job", { chain, wallet, orderId });

/** Pads the nonce with zeros so that slots sort by it. */
export const slotKey = ({ chain, wallet }: LaneKey, nonce: number): Key =>
  itemKey("slot", { chain, wallet, nonce: String(nonce).padStart(16, "0") });

export const jobsOf = ({ chain, wallet }: LaneKey): KeyRange => rangeOf("job", { chain, wallet });

export const slotsInLane = ({ chain, wallet }: LaneKey): KeyRange => rangeOf("slot", { chain, wallet });

/** Covers the jobs of a lane, the lane's place and its slots. */
export const jobsAndSlotsOf = ({ chain, wallet }: LaneKey): KeyRange =>
  rangeOf("job", { chain, wallet }, "slot");

export const isJob = (key: Key): boolean => itemAt(key) === "job";

export const isSlot = (key: Key): boolean => itemAt(key) === "slot";

export const isLanePlace = (key: Key): boolean => itemAt(key) === "lanePlace";

export const ledgerKey = (orderId: string): Key => itemKey("ledger", { orderIdOrUserID: orderId });

/** Stores what the signer knows of a resting order next to the ledgers, where only the signer may write. */
export const tallyKey = (orderId: string): Key => itemKey("tally", { orderIdOrUserID: orderId });

export const endedKey = (orderId: string): Key => itemKey("ended", { orderId });

export const everyLedger = sortKeysOf("ledger");

export const signedBytesKey = ({ chain, wallet, hash }: LaneKey & { hash: string }): Key =>
  itemKey("signedBytes", { chain, wallet, hash });

export const cancellationKey = ({ userID, orderId }: { userID: string; orderId: string }): Key =>
  itemKey("cancellation", { userID, orderId });

export const isResting = (key: Key): boolean => itemAt(key) === "resting";

export const restingKey = ({ userID, chain, wallet, token, orderId }: RestingName): Key =>
  itemKey("resting", { userID, chain, wallet, token, orderId });

/** Covers a user's resting orders, on all chains or on one. */
export const restingOf = (userID: string, chain?: Network): KeyRange =>
  rangeOf("resting", { userID, ...(chain && { chain }) });

/** Number of partitions over which the triggers of a chain are spread. */
export const triggerParts = 8;

export const triggerKey = ({ chain, token, orderId }: Names["trigger"]): Key =>
  itemKey("trigger", { chain, part: digestOf([orderId]).readUInt32BE() % triggerParts, token, orderId });

export const triggersOf = (chain: Network, part: number): KeyRange => rangeOf("trigger", { chain, part });

export const triggersOfToken = (chain: Network, part: number, token: string): KeyRange =>
  rangeOf("trigger", { chain, part, token });

/** Number of equal parts in which a user's cutoff of all wallets is stored. */
const cutoffParts = 32;

/**
 * A lane checks only one part of the user's cutoff, because transactions that check the same item conflict, and all of
 * a user's lanes would slow each other down.
 */
export function cutoffKey(name: Names["cutoff"]): Key {
  const { userID } = name;
  if (name.wallet !== undefined)
    return itemKey("walletCutoff", { userID, chain: name.chain, wallet: name.wallet });
  const { chain, wallet } = name.lane;
  return itemKey("cutoff", { userID, part: digestOf([chain, wallet]).readUInt32BE() % cutoffParts });
}

/** Builds the keys of all parts of a user's cutoff, which change only together. */
export const cutoffPartKeys = (userID: string): Key[] =>
  Array.from({ length: cutoffParts }, (_, part) => itemKey("cutoff", { userID, part }));

export const policyKey = ({ userID, chain, wallet }: PolicyKey): Key =>
  itemKey("policy", { userID, chain, wallet });

/** Stores the count of a day next to the ledgers, where only the signer may write. */
export const dayKey = ({ userID, chain, wallet, day }: PolicyKey & { day: string }): Key =>
  itemKey("signedDay", { orderIdOrUserID: userID, chain, wallet, day });

export const tradingStopKey = (chain: Network): Key => itemKey("tradingStop", { chain });

export const earlierStopKey = (chain: Network): Key => ({ PK: earlierStops, SK: `STOP#${chain}` });

export const watcherKey = (chain: Network): Key => itemKey("watcher", { chain });

export const marketReaderKey: Key = itemKey("marketReader", {});

export const chainMarketReaderKey = (chain: Network): Key => itemKey("chainMarketReader", { chain });

const ofMarkets = "markets ";

/** Returns the key of a reader's lease. */
export function readerKey(of: ReaderOf): Key {
  if (of === "markets") return marketReaderKey;
  return of.startsWith(ofMarkets)
    ? chainMarketReaderKey(of.slice(ofMarkets.length) as Network)
    : watcherKey(of as Network);
}

/** Covers a reader's lease. */
export function readerLeaseOf(of: ReaderOf): KeyRange {
  const { PK, SK } = readerKey(of);
  return { PK, from: SK, to: SK };
}

const ofChains: ReadonlySet<ItemName> = new Set<ItemName>([
  ...([
    "lane",
    "lanePlace",
    "job",
    "slot",
    "signedBytes",
    "ledger",
    "signedDay",
    "tally",
    "ended",
    "cancellation",
    "cutoff",
    "walletCutoff",
    "watcher",
    "trade",
    "book",
    "resting",
    "trigger",
    "heldToken",
    "automaticBuy",
    "restingTurn",
  ] as const),
]);

/** True for an idempotency key that has placed an order. */
export const isKeyOfOrder = (key: Key): boolean =>
  itemAt(key) === "usedKey" &&
  key.SK.startsWith(rangeOf("usedKey", { userID: "", operation: "placeOrder" }).from);

/** True if an item belongs to orders placed through this API or to their results. */
export function isOfChains({ lane, ...key }: Key & { lane?: unknown }): boolean {
  const item = itemAt(key);
  if (item === "usedKey") return isKeyOfOrder(key);
  // Among orders and positions, only those placed through this API name a lane.
  return lane !== undefined || (item !== undefined && ofChains.has(item));
}

export const programKeyKey = ({ userID, keyId }: ProgramKeyName): Key =>
  itemKey("programKey", { userID, keyId });

export const programKeysOf = (userID: string): KeyRange => rangeOf("programKey", { userID });

export const isProgramKey = (key: Key): boolean => itemAt(key) === "programKey";

export const programKeyTurnKey = (userID: string): Key => itemKey("programKeyTurn", { userID });

/** @param tokenId The `jti` of a program's token. */
export const usedTokenKey = ({ userID, keyId }: ProgramKeyName, tokenId: string): Key =>
  itemKey("usedToken", { userID, keyId, tokenId });

/** Key of the signer's count of a program key's orders on one chain and day. */
export const keyDayKey = ({
  chain,
  day,
  userID,
  keyId,
}: ProgramKeyName & { chain: Network; day: string }): Key =>
  itemKey("keyDay", { orderIdOrUserID: userID, chain, keyId, day });
