import type { PublicChannel } from "../core/channel.ts";
import { type ExecutionKind, executionKinds } from "../core/execution-words.ts";
import type { Chain, Network } from "../core/network.ts";
import { itemAt, itemKey, type Key, type KeyRange, rangeOf, sortKeysOf } from "./keys.ts";

export const profileKey = (userID: string): Key => itemKey("profile", { userID });

export const settingsKey = (userID: string, chain: Chain): Key => itemKey("settings", { userID, chain });

export const walletKey = (userID: string, network: Network, address: string): Key =>
  itemKey("wallet", { userID, network, address });

export const walletEventKey = (userID: string, walletId: string, time: Date, id: string): Key =>
  itemKey("walletEvent", { userID, walletId, newestFirst: newestFirst(time), id });

/** The events of one wallet, newest first. */
export const walletEventsOf = (userID: string, walletId: string): KeyRange =>
  rangeOf("walletEvent", { userID, walletId });

export const exportKey = (userID: string, walletId: string): Key =>
  itemKey("exportRequest", { userID, walletId });

export const exportDayKey = (userID: string, day: string): Key => itemKey("exportDay", { userID, day });

export const announcedExportKey = (userID: string, walletId: string): Key =>
  itemKey("announcedExport", { userID, walletId });

export const announcedExportsOf = (userID: string): KeyRange => rangeOf("announcedExport", { userID });

export const isAnnouncedExport = (key: Key) => itemAt(key) === "announcedExport";

export const referralKey = (referrerId: string, joinedAt: Date, referredId: string): Key =>
  itemKey("referral", { userID: referrerId, newestFirst: newestFirst(joinedAt), referredId });

export const pendingReferralKey = (joinedAt: string, userID: string): Key =>
  itemKey("pendingReferral", { joinedAt, userID });

export const everyPendingReferral: KeyRange = rangeOf("pendingReferral", {});

export const referralCodeKey = (code: string): Key => itemKey("referralCode", { code });

const listed = { order: "listedOrder", position: "listedPosition" } as const;

export const executionKey = (userID: string, kind: ExecutionKind, id: string): Key =>
  itemKey(kind, { userID, orderId: id, positionId: id });

export const listedExecutionKey = (userID: string, kind: ExecutionKind, start: Date, id: string): Key =>
  itemKey(listed[kind], { userID, newestFirst: newestFirst(start), orderId: id, positionId: id });

export const redemptionKey = (userID: string, time: Date, redemptionId: string): Key =>
  itemKey("redemption", { userID, newestFirst: newestFirst(time), redemptionId });

/** Newest first. */
export const redemptionsOf = (userID: string): KeyRange => rangeOf("redemption", { userID });

export const everyRedemption = sortKeysOf("redemption");

export const isRedemption = (key: Key) => itemAt(key) === "redemption";

export const connectionKey = (userID: string, connectionId: string): Key =>
  itemKey("connection", { userID, connectionId });

export const connectionCountKey = (userID: string): Key => itemKey("connectionCount", { userID });

export const subscriberKey = (channel: PublicChannel, shard: number, connectionId: string): Key =>
  itemKey("subscriber", { channel, shard, connectionId });

export const userKeyRecordKey = (userID: string): Key => itemKey("userKey", { userID });

export const retiredKeyKey = (due: Date, name: string): Key =>
  itemKey("retiredKey", { due: due.toISOString(), name });

/** The retired keys that may be deleted at that time. Without a time, all of them. */
export const retiredKeysDue = (time?: Date): KeyRange => ({
  ...rangeOf("retiredKey", {}),
  ...(time && { to: time.toISOString() }),
});

export const pricesKey: Key = itemKey("prices", {});

export const walletsOf = (userID: string): KeyRange => rangeOf("wallet", { userID });

export const executionsOf = (userID: string, kind: ExecutionKind): KeyRange => rangeOf(kind, { userID });

export const listedExecutionsOf = (userID: string, kind: ExecutionKind): KeyRange =>
  rangeOf(listed[kind], { userID });

export const connectionsOf = (userID: string): KeyRange => rangeOf("connection", { userID });

/** The settings of every chain. */
export const settingsOf = (userID: string): KeyRange => rangeOf("settings", { userID });

export const subscribersOf = (channel: PublicChannel, shard: number): KeyRange =>
  rangeOf("subscriber", { channel, shard });

/** The profile and the settings of every chain. */
export const profileWithSettings = (userID: string): KeyRange => rangeOf("profile", { userID }, "settings");

/** The profile, the settings of every chain, then the referrals, newest first. */
export const profileWithReferrals = (userID: string): KeyRange => rangeOf("profile", { userID }, "referral");

export const everyProfile = sortKeysOf("profile");
export const everyWallet = sortKeysOf("wallet");
export const everyUserKeyRecord = sortKeysOf("userKey");

export const isProfile = (key: Key): boolean => itemAt(key) === "profile";
export const isWallet = (key: Key): boolean => itemAt(key) === "wallet";
export const isReferral = (key: Key): boolean => itemAt(key) === "referral";
export const isPrices = (key: Key): boolean => itemAt(key) === "prices";

/** The chain of a settings item, or undefined for any other item. */
export const chainOf = (key: Key): Chain | undefined =>
  itemAt(key) === "settings" ? (key.SK.slice(sortKeysOf("settings").from.length) as Chain) : undefined;

/** The kind of an order or a position, or undefined for any other item. */
export const executionKindOf = (key: Key): ExecutionKind | undefined =>
  executionKinds.find((kind) => itemAt(key) === kind);

const lastMs = 9_999_999_999_999;

/**
 * Milliseconds counted down from the end of their 13 digits (the year 2286), so that later times sort first. Times outside
 * of that are taken for the first or the last.
 */
const newestFirst = (time: Date) =>
  String(lastMs - Math.min(lastMs, Math.max(0, time.getTime()))).padStart(13, "0");
