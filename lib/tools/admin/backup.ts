import { isDeepStrictEqual } from "node:util";
import {
  type AttributeValue,
  BatchGetItemCommand,
  QueryCommand,
  ScanCommand,
} from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { isRedemption, redemptionPlaceKey } from "../../rewards/item-keys.ts";
import { standingWrites } from "../../rewards/standing-records.ts";
import { everythingOf, isOfTheMoment, type Key, type KeyRange } from "../../table/keys.ts";
import type { Write } from "../../table/step.ts";
import { readItem, readNumbers, type Table } from "../../table/table.ts";
import { isSealedKey, isWallet, ownerKeyOf } from "../../table/wallet-keys.ts";
import { singleOf, write } from "../../table/write.ts";
import { everyProfile, isProfile } from "../../users/item-keys.ts";
import type { Profile } from "../../users/profile.ts";
import { readProfile } from "../../users/profile-records.ts";
import { isGone, retirement } from "../../wallets/wallet.ts";
import { readWalletEvents } from "../../wallets/wallet-events.ts";
import { withoutRest } from "./resting.ts";
import {
  isLooser,
  isPolicy,
  type KeptReason,
  reasonToKeep,
  reasonToLeave,
  reasonToSpare,
  tighterPolicy,
  withBlock,
  withoutDeletedReferrer,
} from "./restored-guards.ts";
import { deleteWithPiece, holdsPiece, withNewestLines } from "./restored-rewards.ts";
import { scan } from "./scan.ts";
import { isNamedIn, isPseudonym } from "./user-items.ts";

/** An item in DynamoDB's own format. Any other format loses digits of numbers. */
type StoredItem = Record<string, AttributeValue>;

/**
 * A difference between the table and a backup. `item` is the backup's version, or the table's version if only the table
 * has the item.
 */
export type Difference =
  | { what: "missing" | "changed" | "newer"; item: StoredItem }
  /** A difference that stays. */
  | { what: "kept"; item: StoredItem; why: KeptReason };

export type Comparison = {
  /** The live table. */
  table: Table;
  backup: Table;
  /** Limits the comparison to one user's partitions. */
  userID?: string | undefined;
  /**
   * True if permanently removed wallets should also be restored. If they are not, the users' counts of wallets are too
   * low.
   */
  isExact?: boolean;
  now: Date;
};

/**
 * Lists items that the table lacks or has in another version. Skips expired and short-lived items, and wallets that
 * were retired more than 30 days ago. Nothing that would weaken a guard is restored: a lock of exports only if it is
 * missing, a policy only with the tighter limits of both versions, and open orders, requests and records of the signer
 * never.
 */
export async function* lostItems(comparison: Comparison): AsyncGenerator<Difference> {
  const { table, backup, isExact = false, now } = comparison;
  const isListed = (key: Key) => isRestored(key) || reasonToLeave(key) !== undefined;
  const isOfDeleted = await deletedUsers(comparison);
  for await (const items of pagesOf(backup, comparison, isListed)) {
    const found = await sameKeys(table, items);
    for (const saved of items) {
      const live = found.get(textOf(saved));
      const key = keyOf(saved);
      const item = isProfile(key)
        ? withoutDeletedReferrer(withBlock(saved, live), live)
        : live?.settled?.BOOL === true
          ? saved
          : withoutRest(key, saved, now);
      if (isDeepStrictEqual(live, item)) continue;
      if (isOfDeleted(item)) {
        yield { what: "kept", item, why: "deleted" };
        continue;
      }
      const why = reasonToLeave(key) ?? reasonToKeep(key, item, live);
      if (why !== undefined) {
        yield { what: "kept", item, why };
        continue;
      }
      if (isPolicy(key)) {
        const policy = tighterPolicy(item, live);
        if (policy) yield { what: live === undefined ? "missing" : "changed", item: policy };
        if (live && isLooser(item, live)) yield { what: "kept", item, why: "policy" };
        const isStillPending = isDeepStrictEqual(item.pending, live?.pending) && !(isExact && policy);
        if (item.pending && !isStillPending) yield { what: "kept", item, why: "pending" };
        continue;
      }
      if (live === undefined && !isExact && (await isGoneWallet(item, comparison))) continue;
      yield { what: live === undefined ? "missing" : "changed", item };
    }
  }
}

/**
 * True if the item is a wallet or its key, and the live table's events show that the wallet was retired after the
 * backup and can no longer be restored.
 */
async function isGoneWallet(item: StoredItem, { table, now }: Comparison): Promise<boolean> {
  const key = keyOf(item);
  const [userID, walletId] = isSealedKey(key)
    ? [item.userID?.S, item.walletId?.S]
    : [item.UserID?.S, item._id?.S];
  if (!isSealedKey(key) && !isWallet(key)) return false;
  if (userID === undefined || walletId === undefined) return false;
  const { events } = await readWalletEvents(table, { userID, walletId }, { limit: 100 });
  const last = events.find(({ type }) => type === "retired" || type === "restored");
  return last?.type === "retired" && isGone(retirement(new Date(last.time)), now);
}

type Left = Pick<Profile, "userID" | "pseudonym" | "deletedAt">;

/**
 * Finds the users who were deleted since the backup, by what is left of their profiles. That lasts longer than backups.
 *
 * @returns a test that is true for their items, and for those under their pseudonyms.
 */
async function deletedUsers({ table, userID }: Comparison): Promise<(item: StoredItem) => boolean> {
  const names: string[] = [];
  const note = ({ userID, pseudonym, deletedAt }: Left) => {
    if (deletedAt !== undefined) names.push(userID, ...(isPseudonym(pseudonym) ? [pseudonym] : []));
  };
  if (userID === undefined)
    for await (const profile of scan<Left>(table, everyProfile, ["userID", "pseudonym", "deletedAt"]))
      note(profile);
  else {
    const profile = await readProfile(table, userID);
    if (profile !== undefined) note(profile);
  }
  return (stored) => {
    if (names.length === 0) return false;
    const item = { ...unmarshall(stored, { wrapNumbers: true }), ...keyOf(stored) };
    return names.some((name) => isNamedIn(item, name));
  };
}

/** Lists items that only the table has. Guards and the idempotency keys of orders are kept. */
export async function* newerItems(comparison: Comparison): AsyncGenerator<Difference> {
  const { table, backup } = comparison;
  const isOfDeleted = await deletedUsers(comparison);
  for await (const items of pagesOf(table, comparison)) {
    const found = await sameKeys(backup, items);
    for (const item of items) {
      if (found.has(textOf(item))) continue;
      const why = isOfDeleted(item) ? "deleted" : reasonToSpare(keyOf(item), item);
      yield why === undefined ? { what: "newer", item } : { what: "kept", item, why };
    }
  }
}

/**
 * Restores one item from the backup. Neither doubles nor loses points, XP or pieces of rewards. Returns false if a missing
 * item has reappeared in the meantime, or if a redemption to delete has changed.
 */
export async function undo(comparison: Comparison, { what, item }: Difference): Promise<boolean> {
  const { table, userID, isExact = false } = comparison;
  if (what === "kept") return false;
  // Returns the piece to the stock only when a single user is restored, because such a restore leaves the stocks
  // unchanged.
  const returnsPiece = userID !== undefined && isRedemptionItem(item) && holdsPiece(item);
  if (what === "newer" && returnsPiece) return deleteWithPiece(table, item);
  const keepsLines = what === "missing" && !isExact && isProfile(keyOf(item));
  const key = keyOf(item);
  if (what === "newer")
    return write(table, singleOf([{ kind: "remove", key }, ...(await standingsAfter(comparison, key))]));
  const stored = keepsLines ? await withNewestLines(item, comparison) : item;
  // Wraps numbers, so that they keep all their digits.
  const put = { kind: "put", key, item: unmarshall(stored, { wrapNumbers: true }) } as const;
  const standings = await standingsAfter(comparison, key, stored);
  if (what === "missing") return write(table, singleOf([{ ...put, when: "absent" }, ...standings]));
  // Writes a policy only if its revision is still the one that was compared, because the user may have tightened the
  // policy since.
  const revision = Number(item.revision?.N) - 1;
  return write(table, singleOf([isPolicy(key) ? { ...put, when: { revision } } : put, ...standings]));
}

/**
 * Builds the writes that bring leaderboards, which are not restored, in line with a restored profile. Without them, a
 * leaderboard could list a user twice, or under a name that no profile has.
 */
async function standingsAfter({ table, now }: Comparison, key: Key, stored?: StoredItem): Promise<Write[]> {
  if (!isProfile(key)) return [];
  const live = await readItem<Profile>(table, key);
  const restored = stored && (unmarshall(stored, readNumbers) as Profile);
  const before = live ?? restored;
  return before ? standingWrites(before, restored ?? { ...before, ranked: false }, now) : [];
}

export const keyOf = ({ PK, SK }: StoredItem): Key => ({ PK: PK?.S ?? "", SK: SK?.S ?? "" });

const keyIn = (item: StoredItem) => ({ PK: item.PK, SK: item.SK }) as StoredItem;

const textOf = (item: StoredItem) => JSON.stringify(keyOf(item));

const pageSize = 100;

const isRestored = (key: Key) => !isOfTheMoment(key);

async function* pagesOf(
  { client, name }: Table,
  { userID, now }: Comparison,
  isRead: (key: Key) => boolean = isRestored,
): AsyncGenerator<StoredItem[]> {
  const isExpired = ({ expiresAt }: StoredItem) => Number(expiresAt?.N ?? Infinity) * 1000 <= now.getTime();
  const common = { TableName: name, ConsistentRead: true, Limit: pageSize };
  // Reads a user's ranges of keys, or the whole table.
  for (const range of userID === undefined ? [undefined] : everythingOf(userID)) {
    let ExclusiveStartKey: StoredItem | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await client.send(
        range === undefined
          ? new ScanCommand({ ...common, ExclusiveStartKey })
          : new QueryCommand({ ...common, ExclusiveStartKey, ...within(range) }),
      );
      const items = Items.filter((item) => isRead(keyOf(item)) && !isExpired(item));
      if (items.length > 0) yield items;
      // Adds entries in the service's partitions, because without them nothing finds a redemption or the owner of a
      // wallet.
      const entries = userID === undefined ? [] : items.map((item) => entryOf(item, userID));
      const places = entries.filter((entry) => entry !== undefined);
      if (places.length > 0) yield [...(await sameKeys({ client, name }, places)).values()];
      ExclusiveStartKey = LastEvaluatedKey;
    } while (ExclusiveStartKey !== undefined);
  }
}

const isRedemptionItem = (item: StoredItem) => isRedemption(keyOf(item));

/** Builds the key of the entry through which the service finds a redemption, or the owner of a wallet. */
function entryOf(item: StoredItem, userID: string): StoredItem | undefined {
  const key = keyOf(item);
  if (isRedemption(key)) return storedKey(redemptionPlaceKey(item.redemptionId?.S ?? ""));
  return isWallet(key) ? storedKey(ownerKeyOf(key, userID)) : undefined;
}

const storedKey = ({ PK, SK }: Key): StoredItem => ({ PK: { S: PK }, SK: { S: SK } });

const within = ({ PK, from, to }: KeyRange) => ({
  KeyConditionExpression: "PK = :pk AND SK BETWEEN :from AND :to",
  ExpressionAttributeValues: { ":pk": { S: PK }, ":from": { S: from }, ":to": { S: to } },
});

/** Reads the items that have the same keys as these. Returns them by their key as text. */
async function sameKeys(
  { client, name }: Table,
  items: readonly StoredItem[],
): Promise<Map<string, StoredItem>> {
  const found = new Map<string, StoredItem>();
  let Keys: StoredItem[] = items.map(keyIn);
  while (Keys.length > 0) {
    const { Responses, UnprocessedKeys } = await client.send(
      new BatchGetItemCommand({ RequestItems: { [name]: { Keys, ConsistentRead: true } } }),
    );
    for (const item of Responses?.[name] ?? []) found.set(textOf(item), item);
    Keys = UnprocessedKeys?.[name]?.Keys ?? [];
  }
  return found;
}
