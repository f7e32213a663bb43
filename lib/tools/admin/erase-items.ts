import { paginateScan } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { deleteRetired } from "../../plans/sweep.ts";
import { dueFrom, ownerOf } from "../../plans/user-key.ts";
import { deleteUserKeyRecord, readUserKeyRecord, retiredKeys } from "../../plans/user-key-records.ts";
import { closeConnection } from "../../realtime/connection-records.ts";
import { type ItemName, itemAt, rangeOf } from "../../table/keys.ts";
import type { Step } from "../../table/step.ts";
import { type Item, queryRange, type Table } from "../../table/table.ts";
import { ownersOfWallet } from "../../table/wallet-keys.ts";
import { write } from "../../table/write.ts";
import { contentOf, packed } from "../../trading/items/items.ts";
import { restedIn } from "../../trading/items/resting-records.ts";
import { profileKey, referralKey } from "../../users/item-keys.ts";
import { deletedName, remainsOf } from "../../users/profile.ts";
import type { PlanTarget } from "./target.ts";
import { fates, isNamedIn, referredIn, renamed } from "./user-items.ts";

/** A user who is being deleted. */
export type Erasing = {
  table: Table;
  plans: PlanTarget;
  userID: string;
  pseudonym: string;
  now: () => Date;
};

type Found = { item: Item; kind: ItemName };

/**
 * Finds all items that name a user. Reads the whole table, because others' items name the user too.
 *
 * @param userIDs Ids or pseudonyms. An item must name one of them.
 */
export async function itemsNaming(table: Table, ...userIDs: string[]): Promise<Found[]> {
  const pages = paginateScan({ client: table.client }, { TableName: table.name, ConsistentRead: true });
  const found: Found[] = [];
  for await (const { Items = [] } of pages) {
    for (const item of Items as Item[]) {
      const kind = itemAt(item);
      if (kind !== undefined && userIDs.some((userID) => isNamedIn(item, userID))) found.push({ item, kind });
    }
  }
  return found;
}

export const isOfAccount = ({ kind }: Pick<Found, "kind">): boolean => fates[kind]?.ofAccount === true;

/** True for the rest of a deleted user's profile, which expires by itself. */
export const isRemains = ({ kind, item }: Found): boolean =>
  kind === "profile" &&
  item.deletedAt !== undefined &&
  item.expiresAt !== undefined &&
  item.username === deletedName;

/** True for items that stay until the user's orders have settled. */
export const isAwaited = ({ kind }: Found): boolean => fates[kind]?.is === "awaited";

/**
 * Removes items or takes the user out of them, one after the other. Each write leaves a state from which another run
 * can continue.
 */
export async function eraseAll(erasing: Erasing, found: readonly Found[]): Promise<void> {
  await eraseSignedBytes(erasing, found);
  // Replaces the profile first: from then on, the user keeps no API key, and old tokens stay refused. Removes private
  // keys before the records of their exports, by which another run decides about them.
  const kinds: ItemName[] = ["profile", "sealedKey"];
  const first = kinds.flatMap((kind) => found.filter((each) => each.kind === kind));
  for (const each of [...first, ...found.filter((other) => !first.includes(other))])
    await erase(erasing, each);
}

async function erase(erasing: Erasing, found: Found): Promise<void> {
  const { table, userID } = erasing;
  const { item, kind } = found;
  const key = { PK: item.PK, SK: item.SK };
  switch (kind) {
    case "profile":
      await write(table, { kind: "put", key, item: remainsOf(erasing, erasing.now()) });
      return;
    case "referral":
      return eraseReferral(erasing, item);
    case "pendingReferral":
      return erasePending(erasing, item);
    case "connection":
      await closeConnection(table, { userID, connectionId: String(item.connectionId) });
      return;
    case "userKey":
    case "retiredKey":
      return eraseKeys(erasing);
    case "lane":
      // Makes the lane's next run find out again what the wallet holds.
      await write(table, { kind: "change", key, set: { watch: undefined }, when: "present" });
      return;
    case "listedOrder":
      // Other engines keep their own orders.
      if (item.lane === undefined) await write(table, { kind: "remove", key });
      else await rename(erasing, { ...item, clientOrderId: item.orderId });
      return;
    case "trade":
      return rename(erasing, { ...unproven(item), ...key });
    default:
      if (fates[kind]?.is === "renamed") await rename(erasing, item);
      else await write(table, { kind: "remove", key });
  }
}

/** Takes out the code that would let the signer sign the order, and the name that the client gave it. */
function unproven(item: Item): object {
  const order = tradeIn(item);
  const placed = { ...order.placed, clientOrderId: termsOf(order).orderId };
  return packed({ ...order, mac: "", placed }) as object;
}

/** Returns an order, or a resting order that has ended. */
const tradeIn = (item: Item) => restedIn(item) ?? contentOf("order", item);

const termsOf = (order: ReturnType<typeof tradeIn>) => ("intent" in order ? order.intent : order.mandate);

/**
 * Stores an item under the pseudonym, in one transaction if its key changes. If an earlier deletion has left an item
 * there, that one stays.
 */
async function rename({ table, userID, pseudonym }: Erasing, before: Item): Promise<void> {
  const { PK, SK, ...item } = renamed(before, userID, pseudonym);
  const key = { PK, SK };
  if (PK === before.PK && SK === before.SK) {
    await write(table, { kind: "put", key, item });
    return;
  }
  const remove = { kind: "remove", key: { PK: before.PK, SK: before.SK } } as const;
  const isMoved = await write(table, [{ kind: "put", key, item, when: "absent" }, remove]);
  if (!isMoved) await write(table, [{ kind: "check", key, when: "present" }, remove]);
}

async function eraseReferral(erasing: Erasing, item: Item): Promise<void> {
  const { table, userID } = erasing;
  if (item.PK !== profileKey(userID).PK) return rename(erasing, { ...item, username: deletedName });
  await forgetReferrer(table, referredIn(item));
  await write(table, { kind: "remove", key: { PK: item.PK, SK: item.SK } });
}

/** Takes the user's name and id out of the profile of somebody whom the user referred. */
async function forgetReferrer(table: Table, referredId: string): Promise<void> {
  const set = { referredBy: undefined, referrerId: undefined };
  await write(table, { kind: "change", key: profileKey(referredId), set, when: "present" });
}

const Pending = v.object({ referrerId: v.string(), userID: v.string(), joinedAt: v.string() });

/** Credits the user who referred this one, unless that has been done, and forgets the referral. */
async function erasePending({ table, userID, pseudonym }: Erasing, item: Item): Promise<void> {
  const { PK, SK } = item;
  const { referrerId, userID: referredId, joinedAt } = v.parse(Pending, item);
  const remove = { kind: "remove", key: { PK, SK } } as const;
  if (referredId !== userID) {
    await forgetReferrer(table, referredId);
    await write(table, remove);
    return;
  }
  const listed = (id: string) => referralKey(referrerId, new Date(joinedAt), id);
  const crediting: Step = [
    { kind: "check", key: listed(userID), when: "absent" },
    { kind: "put", key: listed(pseudonym), item: { username: deletedName, joinedAt }, when: "absent" },
    { kind: "change", key: profileKey(referrerId), add: { usersReferred: 1 }, when: "present" },
    { ...remove, when: "present" },
  ];
  if (!(await write(table, crediting))) await write(table, remove);
}

/** Retires the user's API keys, and deletes them at once: nobody can use them any more. */
async function eraseKeys({ table, plans, userID, now }: Erasing): Promise<void> {
  const record = await readUserKeyRecord(table, userID);
  if (record !== undefined) await deleteUserKeyRecord(table, record, dueFrom(now()));
  for await (const retired of retiredKeys(table))
    if (ownerOf(retired.name) === userID) await deleteRetired({ ...plans, now }, retired);
}

/** Removes the bytes that were signed for the user's wallets, unless somebody else has the same wallet. */
async function eraseSignedBytes(
  { table, userID, pseudonym }: Erasing,
  found: readonly Found[],
): Promise<void> {
  const lanes = new Map(found.flatMap(lanesIn).map((lane) => [JSON.stringify(lane), lane]));
  for (const { chain, wallet } of lanes.values()) {
    const owners = await queryRange<{ userID: string }>(table, ownersOfWallet(chain, wallet));
    if (owners.some((owner) => owner.userID !== userID && owner.userID !== pseudonym)) continue;
    const signed = await queryRange(table, rangeOf("signedBytes", { chain, wallet }), {
      attributes: ["PK", "SK"],
    });
    for (const { PK, SK } of signed) await write(table, { kind: "remove", key: { PK, SK } });
  }
}

function lanesIn({ kind, item }: Found) {
  switch (kind) {
    case "ledger": {
      const { chain, wallet } = contentOf("ledger", item);
      return [{ chain, wallet }];
    }
    case "trade": {
      const { chain, wallet } = termsOf(tradeIn(item));
      return [{ chain, wallet }];
    }
    default:
      return [];
  }
}
