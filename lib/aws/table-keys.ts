import type { PublicChannel } from "../domain/channel.ts";
import { type ExecutionKind, executionKinds } from "../domain/execution.ts";
import type { Network } from "../domain/network.ts";
import type { Chain } from "../domain/settings.ts";

/**
 * The layout of the table, known to this file, reward-keys.ts and trading-keys.ts alone; each lists its part. Items that are
 * read together are stored together, so that each read is one Query or one GetItem:
 *
 * | PK                 | SK                                   | item                                                  |
 * | ------------------ | ------------------------------------ | ----------------------------------------------------- |
 * | USER#userID        | PROFILE                              | the profile                                           |
 * | USER#userID        | PROFILE#CHAIN#chain                  | the trading settings of a chain                       |
 * | USER#userID        | PROFILE#REFERRAL#newest first#userID | a user whom this one referred                         |
 * | USER#userID        | WALLET#network#address               | a wallet; the key itself makes an address unique      |
 * | WALLETLOG#userID   | EVENT#walletId#newest first#id       | an event of a wallet, kept for good                   |
 * | EXPORT#userID      | EXPORT#walletId                      | a requested export of a wallet                        |
 * | EXPORT#userID      | DAY#day                              | how many exports the user has requested on a day      |
 * | EXPORTED#userID    | ANNOUNCED#walletId                   | the request as sealExport saw and announced it        |
 * | REFCODE#code       | REFCODE                              | the owner of the referral code                        |
 * | REFERRALS          | time of joining#userID               | a pending referral: the referrer has no credit yet    |
 * | TRADES#userID      | ORDER#orderID                        | an order                                              |
 * | TRADES#userID      | POSITION#positionID                  | a position                                            |
 * | TRADES#userID      | ORDERAT#newest first#orderID         | the order again, for lists                            |
 * | TRADES#userID      | POSITIONAT#newest first#positionID   | the position again, for lists                         |
 * | USER#userID        | CONNECTION#connectionID              | an open connection, with the channels subscribed to   |
 * | USER#userID        | CONNECTIONS                          | the connections that count towards the user's limit   |
 * | USER#userID        | PLANKEY                              | the record of the user's API key                      |
 * | RETIREDKEYS        | when it may be deleted#name          | an API key that is no longer used                     |
 * | CHANNEL#name#n     | CONNECTION#connectionID              | a subscriber of a public channel, in its shard n      |
 * | PRICES             | LATEST                               | the latest prices: one item, and one change a second  |
 *
 * Orders, positions and redemptions are published, and orders and positions deleted a week after their end. Those for lists
 * are kept for good if they were placed here.
 */
export type Key = { PK: string; SK: string };

/** Consecutive items of a partition, both ends included. */
export type KeyRange = { PK: string; from: string; to: string };

/** Items of one kind in all partitions, for a Scan. */
export type SortKeyRange = Omit<KeyRange, "PK">;

const PROFILE = "PROFILE";
const CHAIN = "PROFILE#CHAIN#";
const REFERRAL = "PROFILE#REFERRAL#";
const WALLET = "WALLET#";
const WALLET_EVENT = "EVENT#";
const EXPORT = "EXPORT#";
const ANNOUNCED = "ANNOUNCED#";
const CONNECTION = "CONNECTION#";
const CONNECTION_COUNT = "CONNECTIONS";
const LATEST = "LATEST";
const USER_KEY = "PLANKEY";
const RETIRED_KEYS = "RETIREDKEYS";
const PENDING_REFERRALS = "REFERRALS";
const executionPrefixes: Record<ExecutionKind, string> = { order: "ORDER#", position: "POSITION#" };
const REDEMPTION = "REDEMPTION#";
const listedPrefixes: Record<ExecutionKind, string> = { order: "ORDERAT#", position: "POSITIONAT#" };

export const userPartition = (userID: string) => `USER#${userID}`;
export const tradesPartition = (userID: string) => `TRADES#${userID}`;
const walletLogPartition = (userID: string) => `WALLETLOG#${userID}`;
export const policyPartition = (userID: string) => `POLICY#${userID}`;
export const pointsPartition = (userID: string) => `POINTS#${userID}`;
const redemptionsPartition = (userID: string) => `REDEMPTIONS#${userID}`;
const channelPartition = (channel: PublicChannel, shard: number) => `CHANNEL#${channel}#${shard}`;

/** Sorts after everything that begins with the prefix. */
export const endOf = (prefix: string) => `${prefix}\u{10FFFF}`;

export const profileKey = (userID: string): Key => ({ PK: userPartition(userID), SK: PROFILE });

export const settingsKey = (userID: string, chain: Chain): Key => ({
  PK: userPartition(userID),
  SK: CHAIN + chain,
});

export const walletKey = (userID: string, network: Network, address: string): Key => ({
  PK: userPartition(userID),
  SK: `${WALLET}${network}#${address}`,
});

export const walletEventKey = (userID: string, walletId: string, time: Date, id: string): Key => ({
  PK: walletLogPartition(userID),
  SK: `${WALLET_EVENT}${walletId}#${newestFirst(time)}#${id}`,
});

/** The events of one wallet, newest first. */
export const walletEventsOf = (userID: string, walletId: string): KeyRange => ({
  PK: walletLogPartition(userID),
  from: `${WALLET_EVENT}${walletId}#`,
  to: endOf(`${WALLET_EVENT}${walletId}#`),
});

const exportPartition = (userID: string) => `EXPORT#${userID}`;

export const exportKey = (userID: string, walletId: string): Key => ({
  PK: exportPartition(userID),
  SK: EXPORT + walletId,
});

export const exportDayKey = (userID: string, day: string): Key => ({
  PK: exportPartition(userID),
  SK: `DAY#${day}`,
});

export const announcedExportKey = (userID: string, walletId: string): Key => ({
  PK: `EXPORTED#${userID}`,
  SK: ANNOUNCED + walletId,
});

export const announcedExportsOf = (userID: string): KeyRange => ({
  PK: `EXPORTED#${userID}`,
  from: ANNOUNCED,
  to: endOf(ANNOUNCED),
});

export const isAnnouncedExport = ({ PK, SK }: Key) => PK.startsWith("EXPORTED#") && SK.startsWith(ANNOUNCED);

export const referralKey = (referrerID: string, joinedAt: Date, userID: string): Key => ({
  PK: userPartition(referrerID),
  SK: `${REFERRAL}${newestFirst(joinedAt)}#${userID}`,
});

export const pendingReferralKey = (joinedAt: string, userID: string): Key => ({
  PK: PENDING_REFERRALS,
  SK: `${joinedAt}#${userID}`,
});

export const everyPendingReferral: KeyRange = { PK: PENDING_REFERRALS, from: "0", to: endOf("") };

export const referralCodeKey = (code: string): Key => ({ PK: `REFCODE#${code}`, SK: "REFCODE" });

export const executionKey = (userID: string, kind: ExecutionKind, id: string): Key => ({
  PK: tradesPartition(userID),
  SK: executionPrefixes[kind] + id,
});

export const listedExecutionKey = (userID: string, kind: ExecutionKind, start: Date, id: string): Key => ({
  PK: tradesPartition(userID),
  SK: `${listedPrefixes[kind]}${newestFirst(start)}#${id}`,
});

export const redemptionKey = (userID: string, time: Date, id: string): Key => ({
  PK: redemptionsPartition(userID),
  SK: `${REDEMPTION}${newestFirst(time)}#${id}`,
});

/** Newest first. */
export const redemptionsOf = (userID: string): KeyRange => ({
  PK: redemptionsPartition(userID),
  from: REDEMPTION,
  to: endOf(REDEMPTION),
});

export const everyRedemption: SortKeyRange = { from: REDEMPTION, to: endOf(REDEMPTION) };

export const isRedemption = ({ PK, SK }: Key) => PK.startsWith("REDEMPTIONS#") && SK.startsWith(REDEMPTION);

export const connectionKey = (userID: string, connectionID: string): Key => ({
  PK: userPartition(userID),
  SK: CONNECTION + connectionID,
});

export const connectionCountKey = (userID: string): Key => ({
  PK: userPartition(userID),
  SK: CONNECTION_COUNT,
});

export const subscriberKey = (channel: PublicChannel, shard: number, connectionID: string): Key => ({
  PK: channelPartition(channel, shard),
  SK: CONNECTION + connectionID,
});

export const userKeyRecordKey = (userID: string): Key => ({ PK: userPartition(userID), SK: USER_KEY });

export const retiredKeyKey = (due: Date, name: string): Key => ({
  PK: RETIRED_KEYS,
  SK: `${due.toISOString()}#${name}`,
});

/** The retired keys that may be deleted at that time. Without a time, all of them. */
export const retiredKeysDue = (time?: Date): KeyRange => ({
  PK: RETIRED_KEYS,
  from: "0",
  to: time?.toISOString() ?? endOf(""),
});

export const pricesKey: Key = { PK: "PRICES", SK: LATEST };

export const walletsOf = (userID: string): KeyRange => ({
  PK: userPartition(userID),
  from: WALLET,
  to: endOf(WALLET),
});

export const executionsOf = (userID: string, kind: ExecutionKind): KeyRange => ({
  PK: tradesPartition(userID),
  from: executionPrefixes[kind],
  to: endOf(executionPrefixes[kind]),
});

export const listedExecutionsOf = (userID: string, kind: ExecutionKind): KeyRange => ({
  PK: tradesPartition(userID),
  from: listedPrefixes[kind],
  to: endOf(listedPrefixes[kind]),
});

export const connectionsOf = (userID: string): KeyRange => ({
  PK: userPartition(userID),
  from: CONNECTION,
  to: endOf(CONNECTION),
});

/** The settings of every chain. */
export const settingsOf = (userID: string): KeyRange => ({
  PK: userPartition(userID),
  from: CHAIN,
  to: endOf(CHAIN),
});

export const subscribersOf = (channel: PublicChannel, shard: number): KeyRange => ({
  PK: channelPartition(channel, shard),
  from: CONNECTION,
  to: endOf(CONNECTION),
});

/** The profile and the settings of every chain. */
export const profileWithSettings = (userID: string): KeyRange => ({
  PK: userPartition(userID),
  from: PROFILE,
  to: endOf(CHAIN),
});

/** The profile, the settings of every chain, then the referrals, newest first. */
export const profileWithReferrals = (userID: string): KeyRange => ({
  PK: userPartition(userID),
  from: PROFILE,
  to: endOf(REFERRAL),
});

export const everyProfile: SortKeyRange = { from: PROFILE, to: PROFILE };
export const everyWallet: SortKeyRange = { from: WALLET, to: endOf(WALLET) };
export const everyUserKeyRecord: SortKeyRange = { from: USER_KEY, to: USER_KEY };

const partitionsOfUser = [
  ...[userPartition, tradesPartition, walletLogPartition, policyPartition],
  ...[pointsPartition, redemptionsPartition],
];

/** Everything in a user's partitions. */
export const everythingOf = (userID: string): KeyRange[] =>
  partitionsOfUser.map((partitionOf) => ({ PK: partitionOf(userID), from: "0", to: endOf("") }));

/**
 * Whether an item describes what exists elsewhere right now: connections, API keys, prices, transactions that are not
 * final. An old copy is wrong.
 */
export const isOfTheMoment = ({ PK, SK }: Key): boolean =>
  SK.startsWith(CONNECTION) ||
  /^(?:LANES?|SIGNED|CANCELLED|WATCHERS|EXPORT(?:ED)?)(?:#|$)/.test(PK) ||
  [CONNECTION_COUNT, USER_KEY].includes(SK) ||
  [RETIRED_KEYS, pricesKey.PK].includes(PK);

export const isProfile = ({ SK }: Key): boolean => SK === PROFILE;
export const isWallet = ({ SK }: Key): boolean => SK.startsWith(WALLET);
export const isReferral = ({ SK }: Key): boolean => SK.startsWith(REFERRAL);

/** The chain of a settings item, or undefined for any other item. */
export const chainOf = ({ SK }: Key): Chain | undefined =>
  SK.startsWith(CHAIN) ? (SK.slice(CHAIN.length) as Chain) : undefined;

/** The kind of an order or a position, or undefined for any other item. */
export const executionKindOf = ({ SK }: Key): ExecutionKind | undefined =>
  executionKinds.find((kind) => SK.startsWith(executionPrefixes[kind]));

export const isPrices = ({ SK }: Key): boolean => SK === LATEST;

/** The sort key of profiles, and of nothing else. */
export const profileSortKey: string = PROFILE;

/** The prefixes of the sort keys of published items. No other sort key has them. */
export const publishedSortKeys: readonly string[] = [
  CHAIN,
  WALLET,
  ANNOUNCED,
  ...Object.values(executionPrefixes),
  REDEMPTION,
  LATEST,
];

const lastMs = 9_999_999_999_999;

/**
 * Milliseconds counted down from the end of their 13 digits (the year 2286), so that later times sort first. Times outside
 * of that are taken for the first or the last.
 */
const newestFirst = (time: Date) =>
  String(lastMs - Math.min(lastMs, Math.max(0, time.getTime()))).padStart(13, "0");
