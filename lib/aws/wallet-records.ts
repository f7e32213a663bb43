import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Profile } from "../domain/profile.ts";
import type { Wallet } from "../domain/wallet.ts";
import { queryRange, type Table } from "./table.ts";
import { profileKey, walletKey, walletsOf } from "./table-keys.ts";
import { isTransient } from "./transient.ts";
import type { SealedKey } from "./vault.ts";
import { putNew, transact, type Writes } from "./writes.ts";

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
] as const satisfies (keyof Wallet)[];

/** The user's wallets, read without their encrypted keys. */
export async function walletsOfUser(table: Table, userID: string): Promise<Wallet[]> {
  return queryRange<Wallet>(table, walletsOf(userID), { attributes: listedAttributes });
}

/** Whether the wallet's user holds its address on its network already. */
export async function hasWallet(table: Table, wallet: Wallet): Promise<boolean> {
  const { Item } = await table.client.send(
    new GetCommand({
      TableName: table.name,
      Key: keyOf(wallet),
      ConsistentRead: true,
      ProjectionExpression: "PK",
    }),
  );
  return Item !== undefined;
}

/**
 * Writes a new wallet in the next slot, and its user's count of wallets, together. So no concurrency gets past the limit,
 * and no two wallets get the same slot.
 *
 * @param read the user's tier and count of wallets, for which the caller has checked the limit.
 * @returns false, without writing, if the wallet exists, one of these has changed, or another import is changing them now.
 */
export async function insertWallet(
  table: Table,
  wallet: Wallet,
  sealed: SealedKey,
  read: Pick<Profile, "tier" | "walletCount">,
): Promise<boolean> {
  const writes: Writes = [
    putNew(table, { ...keyOf(wallet), ...wallet, ...sealed, slot: read.walletCount + 1 }),
    {
      Update: {
        TableName: table.name,
        Key: profileKey(wallet.UserID),
        UpdateExpression: "ADD walletCount :one",
        ConditionExpression: "tier = :tier AND walletCount = :count",
        ExpressionAttributeValues: { ":one": 1, ":tier": read.tier, ":count": read.walletCount },
      },
    },
  ];
  // Another import at work on the profile changes its count. So the same write would fail after a pause.
  return transact(table, writes, { attempts: 1 }).catch((error: unknown) => {
    if (error instanceof TransactionCanceledException && isTransient(error)) return false;
    throw error;
  });
}

const keyOf = ({ UserID, network, generatedWalletAddress }: Wallet) =>
  walletKey(UserID, network, generatedWalletAddress);
