import { randomUUID } from "node:crypto";
import { ownerOf } from "../../plans/user-key.ts";
import { type ItemName, itemAt } from "../../table/keys.ts";
import { partitionNameOf, partitions } from "../../table/layout.ts";
import { type Item, withoutKey } from "../../table/table.ts";

/** Fate of a kind of item when its user is deleted. */
export type Fate =
  | { is: "removed" }
  /** Stays under a pseudonym, for this reason. */
  | { is: "renamed"; because: string }
  /** Belongs to others too, and stays without the user. */
  | { is: "changed" }
  /** Goes when the user's orders have settled. */
  | { is: "awaited" };

/** True for items that stay as long as the user may still have to export a private key. */
type OfAccount = { ofAccount?: true };

const removed = { is: "removed" } as const;
const removedLast = { is: "removed", ofAccount: true } as const;
const awaited = { is: "awaited" } as const;

const money = "accounts for money that moved";
const points = "accounts for points and rewards";

/** Fate of each kind of item. Null if no item of the kind names a user or a wallet. */
export const fates: Readonly<Record<ItemName, (Fate & OfAccount) | null>> = {
  profile: removedLast,
  progress: removedLast,
  referral: { is: "renamed", ofAccount: true, because: "counts for the user who referred this one" },
  settings: removed,
  preset: removed,
  wallet: removedLast,
  walletOwner: removedLast,
  sealedKey: removedLast,
  usedKey: removedLast,
  automaticBuy: removed,
  restingTurn: removed,
  connection: removed,
  connectionCount: removedLast,
  deviceCount: removedLast,
  device: removedLast,
  deviceAddress: removedLast,
  pushKey: null,
  userKey: removedLast,
  walletEvent: removedLast,
  policy: removedLast,
  shownPolicy: removedLast,
  endedLock: removedLast,
  loosening: removedLast,
  exportRequest: removedLast,
  exportLock: removedLast,
  unlockRequest: removedLast,
  announcedExport: removedLast,
  announcedUnlocking: removedLast,
  announcedDay: removedLast,
  exportedKey: removedLast,
  order: removed,
  position: removed,
  listedOrder: { is: "renamed", because: money },
  listedPosition: removed,
  trade: { is: "renamed", because: money },
  book: removed,
  openExecution: removed,
  resting: removed,
  trigger: removed,
  programKey: removed,
  programKeyTurn: removed,
  usedToken: removed,
  lane: { is: "changed" },
  laneShards: null,
  heldToken: removed,
  job: awaited,
  lanePlace: awaited,
  slot: awaited,
  ledger: { is: "renamed", because: "shows which transactions the signer has signed" },
  signedDay: removedLast,
  keyDay: removedLast,
  // Skips items that have only ids of orders.
  tally: null,
  ended: null,
  signedBytes: removed,
  cancellation: removed,
  cutoff: removed,
  walletCutoff: removed,
  tradingStop: null,
  watcher: null,
  catalogue: null,
  stock: null,
  redemption: { is: "renamed", ofAccount: true, because: points },
  redemptionPlace: { is: "renamed", ofAccount: true, because: points },
  pointsLine: { is: "renamed", ofAccount: true, because: points },
  earned: removedLast,
  standing: removed,
  referralCode: removedLast,
  pendingReferral: removedLast,
  retiredKey: removedLast,
  fallbackKeys: null,
  subscriber: removed,
  channelShards: null,
  marketNews: removed,
  marketReader: null,
  chainMarketReader: null,
  // Has digests of users' ids, and is replaced or expires within ten minutes.
  heldTokens: null,
  market: null,
  marketIndex: null,
  newTokens: null,
  newTokensTurn: null,
  minutes: null,
  hours: null,
  days: null,
  marketLooks: removed,
  marketHistories: removed,
  prices: null,
};

const ofUsers: ReadonlySet<string> = new Set(
  partitions.filter(({ owner }) => owner === "user").map(({ key }) => partitionNameOf(key)),
);

/** Fields that hold the id of a user. Any other text may happen to be the id of somebody, such as `eth`. */
const userFields: ReadonlySet<string> = new Set(["userID", "UserID", "referrerId"]);

/**
 * True if an item names the user by the id. Compares whole ids, because ids may contain each other. The key decides in
 * partitions of users, and certain fields of the content where users share a partition.
 */
export function isNamedIn(item: Item, userID: string): boolean {
  const { PK } = item;
  const kind = itemAt(item);
  if (kind === undefined || fates[kind] === null) return false;
  if (ofUsers.has(partitionNameOf(PK)))
    return ownerIn(PK) === userID || (kind === "referral" && referredIn(item) === userID);
  return kind === "retiredKey" ? ownerOf(String(item.name)) === userID : isIn(withoutKey(item), userID);
}

const ownerIn = (PK: string) => PK.slice(PK.indexOf("#") + 1);

/** Matches the part of a referral's sort key before the id of the referred user. */
const beforeReferred = /^PROFILE#REFERRAL#\d+#/;

/** Returns the id of the referred user. */
export const referredIn = ({ SK }: Pick<Item, "SK">): string => SK.replace(beforeReferred, "");

function isIn(value: unknown, userID: string): boolean {
  if (Array.isArray(value)) return value.some((part) => isIn(part, userID));
  if (!isMap(value)) return false;
  return Object.entries(value).some(
    ([name, part]) =>
      (userFields.has(name) && part === userID) ||
      // A lane notes the latest order of each of its users.
      (name === "revisions" && isMap(part) && Object.hasOwn(part, userID)) ||
      isIn(part, userID),
  );
}

/** Sets and bytes name nobody. */
const isMap = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Builds the item that names the pseudonym in place of the user. */
export function renamed(item: Item, userID: string, pseudonym: string): Item {
  const { PK, SK, ...content } = item;
  const isReferred = itemAt(item) === "referral" && referredIn(item) === userID;
  return {
    ...(renamedIn(content, userID, pseudonym) as object),
    PK:
      ofUsers.has(partitionNameOf(PK)) && ownerIn(PK) === userID
        ? PK.slice(0, -userID.length) + pseudonym
        : PK,
    SK: isReferred ? SK.slice(0, -userID.length) + pseudonym : SK,
  };
}

function renamedIn(value: unknown, userID: string, pseudonym: string): unknown {
  if (Array.isArray(value)) return value.map((part) => renamedIn(part, userID, pseudonym));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      userFields.has(name) && part === userID ? pseudonym : renamedIn(part, userID, pseudonym),
    ]),
  );
}

/** Builds a random name for what stays of a user. */
export const newPseudonym = (): string => `deleted-${randomUUID()}`;

/** True for a name that {@link newPseudonym} may have built. No other one may lead into a partition. */
export const isPseudonym = (name: unknown): name is string =>
  typeof name === "string" && /^deleted-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name);
