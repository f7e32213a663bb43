import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { SealedKey } from "../aws/vault.ts";
import { epochSeconds } from "../core/time.ts";
import { projection, queryRange, type Table } from "../table/table.ts";
import { profileKey, walletKey, walletsOf } from "../table/table-keys.ts";
import type { Writes } from "../table/writes.ts";
import type { Places, Wallet, WalletChanges } from "./wallet.ts";

const listedAttributes = [
  "_id",
  "UserID",
  "generatedWalletAddress",
  "network",
  "walletType",
  "createdAt",
  "slot",
  "slotName",
  "colortag",
  "version",
  "retiredAt",
  "expiresAt",
] as const satisfies (keyof Wallet)[];

/** A wallet's item without its encrypted key, and without anything else that no client may see. */
export const walletIn = (item: object): Wallet =>
  Object.fromEntries(
    Object.entries(item).filter(([name]) => (listedAttributes as readonly string[]).includes(name)),
  ) as Wallet;

/** All of the user's wallets, retired ones included, read without their encrypted keys. */
export async function walletsOfUser(table: Table, userID: string): Promise<Wallet[]> {
  return queryRange<Wallet>(table, walletsOf(userID), { attributes: listedAttributes });
}

type WalletName = Pick<Wallet, "UserID" | "network" | "generatedWalletAddress">;

/** The user's wallet with that address on that network, even if it is retired, without its encrypted key. */
export async function readWallet(table: Table, name: WalletName): Promise<Wallet | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({
      TableName: table.name,
      Key: keyOf(name),
      ConsistentRead: true,
      ...projection(listedAttributes),
    }),
  );
  return Item as Wallet | undefined;
}

/** Writes a new wallet, unless the user has one with its address that is not gone. */
export const insertion = (table: Table, wallet: Wallet, sealed: SealedKey, now: Date): Writes[number] => ({
  Put: {
    TableName: table.name,
    Item: { ...keyOf(wallet), ...wallet, ...sealed },
    ConditionExpression: "attribute_not_exists(PK) OR expiresAt <= :now",
    ExpressionAttributeValues: { ":now": epochSeconds(now) },
  },
});

/** Changes a wallet into its next version, if it has not changed since it was read. */
export function nextVersion(table: Table, read: Wallet, changes: WalletChanges): Writes[number] {
  const names = Object.keys(changes) as (keyof WalletChanges)[];
  const set = names.filter((name) => changes[name] !== undefined);
  const removed = names.filter((name) => changes[name] === undefined);
  return {
    Update: {
      TableName: table.name,
      Key: keyOf(read),
      UpdateExpression: [
        `SET ${[...set, "version"].map((name) => `#${name} = :${name}`).join(", ")}`,
        ...(removed.length > 0 ? [`REMOVE ${removed.map((name) => `#${name}`).join(", ")}`] : []),
      ].join(" "),
      // A wallet that was imported again after its removal has another id, and a version as low as the first one's.
      ConditionExpression: "#id = :id AND #version = :read",
      ExpressionAttributeNames: {
        "#id": "_id",
        "#version": "version",
        ...Object.fromEntries(names.map((name) => [`#${name}`, name])),
      },
      ExpressionAttributeValues: {
        ":id": read._id,
        ":version": read.version + 1,
        ":read": read.version,
        ...Object.fromEntries(set.map((name) => [`:${name}`, changes[name]])),
      },
    },
  };
}

/** Holds while the wallet exists and is not retired. */
export const stillActive = (table: Table, wallet: Wallet): Writes[number] => ({
  ConditionCheck: {
    TableName: table.name,
    Key: keyOf(wallet),
    ConditionExpression: "#id = :id AND attribute_not_exists(retiredAt)",
    ExpressionAttributeNames: { "#id": "_id" },
    ExpressionAttributeValues: { ":id": wallet._id },
  },
});

/**
 * Takes or frees a place among the user's wallets, if nothing has changed that decides about it. So no concurrency gets past
 * the limit, and no two wallets get the same slot.
 *
 * @param read for which the caller has checked the limit.
 */
export function placeChange(
  table: Table,
  userID: string,
  read: Places,
  { by, lastSlot = read.lastSlot }: { by: 1 | -1; lastSlot?: number },
): Writes[number] {
  return {
    Update: {
      TableName: table.name,
      Key: profileKey(userID),
      UpdateExpression: "SET walletCount = :next, lastSlot = :slot",
      ConditionExpression: "tier = :tier AND walletCount = :count AND lastSlot = :read",
      ExpressionAttributeValues: {
        ":tier": read.tier,
        ":count": read.walletCount,
        ":next": read.walletCount + by,
        ":slot": lastSlot,
        ":read": read.lastSlot,
      },
    },
  };
}

const keyOf = ({ UserID, network, generatedWalletAddress }: WalletName) =>
  walletKey(UserID, network, generatedWalletAddress);
