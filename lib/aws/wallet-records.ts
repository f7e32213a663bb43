import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { WalletLimits } from "../domain/tier.ts";
import { checkWalletLimit, type Wallet } from "../domain/wallet.ts";
import { readOwnProfile } from "./profile-records.ts";
import { queryRange, type Table } from "./table.ts";
import { type Key, profileKey, walletKey, walletsOf } from "./table-keys.ts";
import { transact } from "./transaction.ts";
import type { SealedKey } from "./vault.ts";

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

/** The user's wallets. The encrypted keys are not even read. */
export async function walletsOfUser(table: Table, userID: string): Promise<Wallet[]> {
  return queryRange<Wallet>(table, walletsOf(userID), { attributes: listedAttributes });
}

/**
 * Adds a wallet to its user's. The wallet and the user's count of wallets are written together, so no concurrency gets
 * past the limit. An address that the user already holds on this network changes nothing.
 *
 * @param seal encrypts the private key; called once, and only when there is room.
 * @throws {DomainError} WALLET_LIMIT_REACHED
 */
export async function addWallet(
  table: Table,
  wallet: Wallet,
  seal: () => Promise<SealedKey>,
  limits: WalletLimits,
): Promise<void> {
  const key = walletKey(wallet.UserID, wallet.network, wallet.generatedWalletAddress);
  let sealed: SealedKey | undefined;
  // A lost race shows in the next reading: as the same wallet, as a limit that is reached, or as another tier.
  for (let attempt = 1; attempt <= 5; attempt++) {
    const [held, holder] = await Promise.all([holds(table, key), readOwnProfile(table, wallet.UserID)]);
    if (held) return;
    checkWalletLimit(holder.tier, holder.walletCount, limits);
    sealed ??= await seal();
    const refused = await transact(table, [
      {
        Put: {
          TableName: table.name,
          Item: { ...key, ...wallet, ...sealed },
          ConditionExpression: "attribute_not_exists(PK)",
        },
      },
      {
        Update: {
          TableName: table.name,
          Key: profileKey(wallet.UserID),
          UpdateExpression: "ADD walletCount :one",
          ConditionExpression: "tier = :tier AND walletCount < :limit",
          ExpressionAttributeValues: { ":one": 1, ":tier": holder.tier, ":limit": limits[holder.tier] },
        },
      },
    ]);
    if (refused === undefined) return;
  }
  throw new Error("The user's profile kept changing");
}

async function holds(table: Table, key: Key): Promise<boolean> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: key, ConsistentRead: true, ProjectionExpression: "PK" }),
  );
  return Item !== undefined;
}
