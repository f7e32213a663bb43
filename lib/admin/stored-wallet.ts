import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { writeIf } from "../aws/conditional-write.ts";
import type { Table } from "../aws/table.ts";
import { everyWallet, type Key } from "../aws/table-keys.ts";
import type { SealedKey } from "../aws/vault.ts";
import type { Wallet } from "../domain/wallet.ts";
import { scan } from "./scan.ts";

/** A wallet with its encrypted key, as it stands in the table. */
export type StoredWallet = Key & Wallet & SealedKey;

/** How many wallets have the newest key material, and how many an older one. */
export type WalletCounts = { current: number; old: number };

export function everyStoredWallet(table: Table): AsyncGenerator<StoredWallet> {
  return scan<StoredWallet>(table, everyWallet, [
    "PK",
    "SK",
    "_id",
    "UserID",
    "network",
    "generatedWalletAddress",
    "encryptedPrivateKey",
    "keyMaterialId",
  ]);
}

export async function countWallets(table: Table, currentMaterialId: string): Promise<WalletCounts> {
  const counts = { current: 0, old: 0 };
  for await (const wallet of scan<StoredWallet>(table, everyWallet, ["keyMaterialId"])) {
    counts[wallet.keyMaterialId === currentMaterialId ? "current" : "old"]++;
  }
  return counts;
}

/** @returns undefined when the wallet has gone. */
export async function readStoredWallet(table: Table, { PK, SK }: Key): Promise<StoredWallet | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: { PK, SK }, ConsistentRead: true }),
  );
  return Item as StoredWallet | undefined;
}

/** @returns false, and changes nothing, when the encrypted key is no longer the one that was read. */
export async function replaceKey(table: Table, wallet: StoredWallet, sealed: SealedKey): Promise<boolean> {
  return writeIf(
    table,
    new UpdateCommand({
      TableName: table.name,
      Key: { PK: wallet.PK, SK: wallet.SK },
      UpdateExpression: "SET encryptedPrivateKey = :newKey, keyMaterialId = :newMaterial",
      ConditionExpression: "encryptedPrivateKey = :read",
      ExpressionAttributeValues: {
        ":newKey": sealed.encryptedPrivateKey,
        ":newMaterial": sealed.keyMaterialId,
        ":read": wallet.encryptedPrivateKey,
      },
    }),
  );
}
