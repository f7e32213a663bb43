import type { Write } from "../table/step.ts";
import { readItem, type Table } from "../table/table.ts";
import { usedKeyKey } from "../trading/items/keys.ts";

/** An idempotency key of a request that adds a wallet. */
export type WalletKeyName = { userID: string; operation: "createWallet" | "importWallet"; key: string };

/** The wallet that a key added, with the fingerprint of the request's body. */
export type UsedWalletKey = { walletId: string; fingerprint: string };

export async function readUsedWalletKey(
  table: Table,
  { userID, operation, key }: WalletKeyName,
): Promise<UsedWalletKey | undefined> {
  return readItem<UsedWalletKey>(table, usedKeyKey(userID, operation, key));
}

/** Builds the write that marks a key as used for good. The write fails if the key was used before. */
export const useOfWalletKey = ({ userID, operation, key }: WalletKeyName, used: UsedWalletKey): Write => ({
  kind: "put",
  key: usedKeyKey(userID, operation, key),
  item: { userID, ...used },
  when: "absent",
});
