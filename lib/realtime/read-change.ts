import { isDeepStrictEqual } from "node:util";
import type { DynamoDBRecord } from "aws-lambda";
import type { OrderStatus } from "../core/execution-words.ts";
import type { Chain } from "../core/network.ts";
import { ServiceError } from "../core/service-error.ts";
import type { Device } from "../devices/device.ts";
import { isDevice } from "../devices/item-keys.ts";
import { executionIn, idOf, type StoredExecution } from "../orders/execution.ts";
import type { ProgramKey } from "../orders/program-key.ts";
import { shownResting } from "../orders/resting/shown.ts";
import { isPrices } from "../prices/item-keys.ts";
import type { PricesItem } from "../prices/price-records.ts";
import { isRedemption } from "../rewards/item-keys.ts";
import type { Redemption } from "../rewards/redemption.ts";
import { imageIn } from "../table/change-image.ts";
import { userOf } from "../table/keys.ts";
import { type Item, withoutKey } from "../table/table.ts";
import { isWallet } from "../table/wallet-keys.ts";
import { contentOf } from "../trading/items/items.ts";
import { executionKindOf, isProgramKey, isResting } from "../trading/items/keys.ts";
import { chainOf, isProgress } from "../users/item-keys.ts";
import type { UserProgress } from "../users/profile.ts";
import { settingsInForce } from "../users/settings.ts";
import type { SettingsItem } from "../users/settings-records.ts";
import { lockIn, shownLock, type Unlocking } from "../wallets/export/export-lock.ts";
import type { AnnouncedExport } from "../wallets/export/wallet-export.ts";
import type { EndedLock, ShownPolicy } from "../wallets/guard-records.ts";
import { isAnnouncedExport, isEndedLock, isLock, isShownPolicy, isUnlocking } from "../wallets/item-keys.ts";
import type { Wallet } from "../wallets/wallet.ts";
import { walletIn } from "../wallets/wallet-records.ts";
import type { PublishedChange } from "./change-messages.ts";

/**
 * Reads a record of the table's changes.
 *
 * @returns undefined for an item that is not published, a deletion, or a write that changes nothing for clients.
 * @throws {Error} if this service cannot have written the record, for example because it has different settings with
 * the same version.
 */
export function readChange(record: DynamoDBRecord): PublishedChange | undefined {
  if (record.eventName === "REMOVE") return undefined;
  const after = imageIn<Item>(record, "NewImage");
  if (after === undefined) throw new Error("The record has no new image");
  const before = imageIn<Item>(record, "OldImage");

  if (isPrices(after)) {
    return pricesChange(before as PricesItem | undefined, after as Item<PricesItem>);
  }
  if (isAnnouncedExport(after))
    return exportChange(before as AnnouncedExport | undefined, after as Item<AnnouncedExport>);
  if (isLock(after)) return lockChange(before, after);
  if (isUnlocking(after)) return unlockingChange(before as Unlocking | undefined, after as Item<Unlocking>);
  if (isShownPolicy(after))
    return policyChange(before as ShownPolicy | undefined, after as Item<ShownPolicy>);
  if (isEndedLock(after)) return endedLockChange(before as EndedLock | undefined, after as Item<EndedLock>);
  if (isDevice(after)) return deviceChange(before as Item<Device> | undefined, after as Item<Device>);
  if (isRedemption(after))
    return redemptionChange(before as Redemption | undefined, after as Item<Redemption>);
  if (isProgress(after))
    return progressChange(before as UserProgress | undefined, after as Item<UserProgress>);
  if (isWallet(after)) return walletChange(before as Wallet | undefined, walletIn(after));
  if (isResting(after)) return restingChange(before, after);
  if (isProgramKey(after)) return programKeyChange(before, after as Item<ProgramKey>);
  const chain = chainOf(after);
  const kind = executionKindOf(after);
  if (chain !== undefined)
    return settingsChange(chain, before as SettingsItem | undefined, after as Item<SettingsItem>);
  if (kind === undefined || before?.version === after.version) return undefined;
  const userID = ownerOf(after.userID);
  const execution = executionIn(after as Item<StoredExecution>);
  if (idOf(execution) === undefined) throw new Error("The record has no orderId or positionId");
  return {
    of: "execution",
    userID,
    kind,
    execution,
    statusBefore: before?.status as OrderStatus | undefined,
  };
}

/**
 * Reads changed settings.
 *
 * @throws {ServiceError} if the settings change without a new version: the user could then place orders with settings
 * that nobody has chosen, and clients would not notice.
 */
function settingsChange(
  chain: Chain,
  before: SettingsItem | undefined,
  after: SettingsItem,
): PublishedChange | undefined {
  const { version } = after;
  const settings = settingsInForce(chain, after);
  if (before?.version === version) {
    if (isDeepStrictEqual(settings, settingsInForce(chain, before))) return undefined;
    throw new ServiceError("Settings lack a new version", { code: "UNVERSIONED_SETTINGS" });
  }
  return { of: "settings", userID: ownerOf(after.userID), chain, version, settings };
}

/**
 * Reads a changed resting order. Publishes the order itself and not only its record, so that nobody can plant one
 * unseen.
 */
function restingChange(before: Item | undefined, after: Item): PublishedChange | undefined {
  const order = contentOf("resting", after);
  if (before !== undefined && contentOf("resting", before).version === order.version) return undefined;
  const { userID } = order.mandate;
  return { of: "execution", userID, kind: "order", execution: shownResting(order), isResting: true };
}

function ownerOf(userID: unknown): string {
  if (typeof userID !== "string") throw new Error("The record has no userID");
  return userID;
}

/**
 * Time between two updates with all prices, for clients that have missed some. Also the time between two checks of the
 * age of a run.
 */
const turnMs = 30_000;

const turnOf = ({ updatedAt }: PricesItem) => Math.floor(Date.parse(updatedAt) / turnMs);

/**
 * Reads the prices that changed. For the first change of every half minute, returns all prices, and the run that saves
 * them.
 */
function pricesChange(
  before: PricesItem | undefined,
  after: PricesItem,
): Extract<PublishedChange, { of: "prices" }> | undefined {
  const { prices = [], lease, startedAt } = after;
  if (lease === undefined) return undefined;
  if (before === undefined || turnOf(before) !== turnOf(after))
    return { of: "prices", prices, feed: { lease, startedAt } };
  const { prices: known = [] } = before;
  const changed = prices.filter((price) => !known.some((other) => isDeepStrictEqual(other, price)));
  return { of: "prices", prices: changed };
}

function exportChange(
  before: AnnouncedExport | undefined,
  { userID, walletId, availableAt, thumbprint, version }: AnnouncedExport,
): PublishedChange | undefined {
  if (before?.version === version) return undefined;
  return { of: "export", userID, walletId, availableAt, thumbprint, version };
}

/** Reads a lock in any format in which it may be stored. Takes the user only from the item's key. */
function lockChange(before: Item | undefined, after: Item): PublishedChange | undefined {
  if (isDeepStrictEqual(before, after)) return undefined;
  const userID = userOf(after);
  return {
    of: "exportLock",
    userID,
    lock: shownLock({ status: "locked", lock: lockIn({ ...withoutKey(after), userID }) }),
  };
}

function unlockingChange(
  before: Unlocking | undefined,
  { userID, lockId, lockedAt, seenAt, unlocksAt }: Unlocking,
): PublishedChange | undefined {
  if (before?.lockId === lockId && before.seenAt === seenAt) return undefined;
  return { of: "exportLock", userID, lock: { status: "unlocking", lockedAt, unlocksAt } };
}

function policyChange(
  before: ShownPolicy | undefined,
  { userID, walletId, policy, pending, change, version }: ShownPolicy,
): PublishedChange | undefined {
  if (before?.version === version) return undefined;
  return { of: "policy", userID, walletId, policy, ...(pending && { pending }), change, version };
}

function endedLockChange(
  before: EndedLock | undefined,
  { userID, lockId }: EndedLock,
): PublishedChange | undefined {
  if (before?.lockId === lockId) return undefined;
  return { of: "exportLock", userID, lock: { status: "unlocked" } };
}

/**
 * Reads a program key. Publishes any change of it, so that nobody can widen one unseen, and takes the user only from the
 * item's key, so that nobody can announce it to somebody else.
 */
function programKeyChange(before: Item | undefined, after: Item<ProgramKey>): PublishedChange | undefined {
  if (isDeepStrictEqual(before, after)) return undefined;
  const userID = userOf(after);
  return { of: "programKey", userID, key: { ...withoutKey(after), userID } };
}

/** Reads a device. Publishes any change of it but the notes of attempts to reach it, to the user of the item's key. */
function deviceChange(before: Item<Device> | undefined, after: Item<Device>): PublishedChange | undefined {
  const termsOf = ({ failures: _, retryAt: __, lastFailure: ___, ...terms }: Item<Device>) => terms;
  if (before !== undefined && isDeepStrictEqual(termsOf(before), termsOf(after))) return undefined;
  const userID = userOf(after);
  return { of: "device", userID, device: { ...after, userID } };
}

function redemptionChange(
  before: Redemption | undefined,
  redemption: Redemption,
): PublishedChange | undefined {
  const { userID, version } = redemption;
  if (typeof userID !== "string") throw new Error("The redemption has no userID");
  return before?.version === version ? undefined : { of: "redemption", userID, redemption };
}

/** Reads what a credit has changed. Takes the user only from the item's key, because many functions may write there. */
function progressChange(
  before: UserProgress | undefined,
  after: Item<UserProgress>,
): PublishedChange | undefined {
  if (before?.version === after.version) return undefined;
  return { of: "progress", userID: userOf(after), progress: after };
}

function walletChange(before: Wallet | undefined, wallet: Wallet): PublishedChange | undefined {
  const { UserID: userID } = wallet;
  if (typeof userID !== "string") throw new Error("The wallet has no UserID");
  return before?.version === wallet.version ? undefined : { of: "wallet", userID, wallet };
}
