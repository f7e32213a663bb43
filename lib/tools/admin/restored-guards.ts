import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import {
  isSamePolicy,
  mayRaiseFees,
  type PolicyRecord,
  tightest,
  type WalletPolicy,
  withFees,
} from "../../orders/wallet-policy.ts";
import { itemAt, type Key } from "../../table/keys.ts";
import { earlierStops, partitionNameOf } from "../../table/layout.ts";
import type { Item } from "../../table/table.ts";
import { contentOf, packed } from "../../trading/items/items.ts";
import { isKeyOfOrder } from "../../trading/items/keys.ts";
import { isExportedKey, isLock } from "../../wallets/item-keys.ts";
import type { WalletEventType } from "../../wallets/wallet-event.ts";

type StoredItem = Record<string, AttributeValue>;

/** Reasons why a restore keeps an item of the live table. */
export const keptReasons = {
  openOrder: "orders that were open: without the signer's records, they could be signed a second time",
  usedKey: "idempotency keys of orders placed since: a repeated request must not place its order again",
  lock: "locks of exports that were set since, which hold",
  policy: "policies that were set since, and looser limits: only their users loosen them",
  pending: "looser policies that were pending: users ask for them again, with the whole delay",
  request:
    "requests and announcements of exports and unlockings: users ask for them again, with the whole delay",
  signed: "records of the signer: older ones could let it sign an order a second time",
  cancelled: "cancellations: the orders that were open are not restored either",
  resting: "resting orders: they end with MANDATE_VOID, and their users place them again",
  event: "wallets' events about policies and exports since: what they tell stays true",
  deleted: "data of users whom admin delete-user has deleted since",
  stop: "stops of trading that were set since, which hold until admin trading --start",
} as const;

export type KeptReason = keyof typeof keptReasons;

export const isPolicy = (key: Key): boolean => itemAt(key) === "policy";

/** True for an unsettled order of this service, and for the entries of such orders in lists. */
function wasOpen(key: Key, item: StoredItem): boolean {
  switch (itemAt(key)) {
    case "trade":
      // A resting order is stored there only after its end.
      return item.state?.S !== "done" && item.life?.M?.settled?.BOOL !== true;
    case "order":
    case "listedOrder":
      return item.lane !== undefined && item.settled?.BOOL !== true;
    default:
      return false;
  }
}

/**
 * Returns the reason why a backup's item must not be restored, if any. `live` is the table's item with the same key.
 */
export function reasonToKeep(
  key: Key,
  item: StoredItem,
  live: StoredItem | undefined,
): KeptReason | undefined {
  if (wasOpen(key, item)) return "openOrder";
  if (live === undefined) return undefined;
  if (isExportedKey(key)) return "event";
  return isLock(key) ? "lock" : undefined;
}

/** Returns the reason why an item that only the table has must not be deleted, if any. */
export function reasonToSpare(key: Key, item: StoredItem): KeptReason | undefined {
  if (isLock(key)) return "lock";
  if (isExportedKey(key)) return "event";
  if (isKeyOfOrder(key)) return "usedKey";
  if (itemAt(key) === "tradingStop" || key.PK === earlierStops) return "stop";
  if (itemAt(key) === "walletEvent" && lastingEvents.has(item.type?.S)) return "event";
  return isPolicy(key) ? "policy" : undefined;
}

/** Events that stay true after any restore: policies are kept, and an exported key has left the service. */
const lastingEvents: ReadonlySet<string | undefined> = new Set<WalletEventType>([
  "policyChanged",
  "exportRequested",
  "exportCancelled",
  "exported",
]);

/**
 * Returns the reason why an item of a backup is never restored. Gives a reason only if the item's loss matters to users
 * or the signer.
 */
export function reasonToLeave(key: Key): KeptReason | undefined {
  // Restores that a key has left the service, which stays true.
  if (isExportedKey(key)) return undefined;
  switch (partitionNameOf(key.PK)) {
    case "EXPORT":
    case "EXPORTED":
    case "UNLOCK":
      return "request";
    case "SIGNED":
    case "ENDED":
      return "signed";
    case "CANCELLED":
      return "cancelled";
    case "RESTING":
      return "resting";
    default:
      return undefined;
  }
}

/** Keeps a user blocked if the block is newer than the backup. */
export const withBlock = (profile: StoredItem, live: StoredItem | undefined): StoredItem =>
  live?.blockedAt === undefined ? profile : { ...profile, blockedAt: live.blockedAt };

/** Keeps a deleted referrer out. Nothing else takes a referrer out of a profile. */
export function withoutDeletedReferrer(profile: StoredItem, live: StoredItem | undefined): StoredItem {
  if (live === undefined || live.referredBy !== undefined) return profile;
  const { referredBy: _, referrerId: __, ...rest } = profile;
  return rest;
}

/** Returns the tighter limits of two policies. Keeps the current fee limit if the result might raise it. */
function tighterOf(old: WalletPolicy, current: WalletPolicy): WalletPolicy {
  const both = tightest(old, current);
  return mayRaiseFees(current, both) ? withFees(both, current) : both;
}

const recordIn = (item: StoredItem): PolicyRecord => contentOf("policy", unmarshall(item) as Item<object>);

/**
 * Combines two policies of a wallet, field by field, into the tighter one as the table's next revision. Drops the
 * pending policy, because the user may have withdrawn it since. Returns undefined if the live policy is already as
 * tight.
 */
export function tighterPolicy(saved: StoredItem, live: StoredItem | undefined): StoredItem | undefined {
  const { PK, SK } = saved;
  const old = recordIn(saved);
  const { pending: _, ...current } = live === undefined ? old : recordIn(live);
  const policy = tighterOf(old.policy, current.policy);
  if (live !== undefined && isSamePolicy(policy, current.policy)) return undefined;
  const revision = current.revision + 1;
  const content = marshall(packed({ ...current, policy, revision }) as object, {
    removeUndefinedValues: true,
  });
  return { ...content, ...(PK && { PK }), ...(SK && { SK }) };
}

/** True if some field of the policy is looser in the backup than in the table. The table then keeps its own value. */
export const isLooser = (saved: StoredItem, live: StoredItem): boolean => {
  const [old, current] = [recordIn(saved).policy, recordIn(live).policy];
  return !isSamePolicy(tighterOf(old, current), old);
};
