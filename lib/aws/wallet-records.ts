import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Tier } from "../domain/tier.ts";
import type { Wallet } from "../domain/wallet.ts";
import { queryRange, type Table } from "./table.ts";
import { profileKey, walletKey, walletsOf } from "./table-keys.ts";
import type { SealedKey } from "./vault.ts";
import { transact } from "./writes.ts";

const listedAttributes = [
  "_id",
  "UserID",
  "generatedWalletAddress",
  "network",
  "walletType",
  "createdAt",
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
 * Writes a new wallet and its user's count of wallets together, so that no concurrency gets past the limit.
 *
 * @returns false, without writing, if the wallet exists, the user's tier is another, or the limit is reached.
 */
export async function insertWallet(
  table: Table,
  wallet: Wallet,
  sealed: SealedKey,
  { tier, limit }: { tier: Tier; limit: number },
): Promise<boolean> {
  return transact(table, [
    {
      Put: {
        TableName: table.name,
        Item: { ...keyOf(wallet), ...wallet, ...sealed },
        ConditionExpression: "attribute_not_exists(PK)",
      },
    },
    {
      Update: {
        TableName: table.name,
        Key: profileKey(wallet.UserID),
        UpdateExpression: "ADD walletCount :one",
        ConditionExpression: "tier = :tier AND walletCount < :limit",
        ExpressionAttributeValues: { ":one": 1, ":tier": tier, ":limit": limit },
      },
    },
  ]);
}

const keyOf = ({ UserID, network, generatedWalletAddress }: Wallet) =>
  walletKey(UserID, network, generatedWalletAddress);
