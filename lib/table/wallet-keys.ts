import type { Network } from "../core/network.ts";
import { itemAt, itemKey, type Key, type KeyRange, rangeOf, sortKeysOf } from "./keys.ts";

/** Key of a wallet. It is defined in lib/table because both lib/wallets and lib/trading/items read wallets. */
export const walletKey = (userID: string, network: Network, address: string): Key =>
  itemKey("wallet", { userID, network, address });

/** Covers a user's wallets, or those on a network. */
export const walletsOf = (userID: string, network?: Network): KeyRange =>
  rangeOf("wallet", { userID, ...(network && { network }) });

/** Returns the address of a wallet, which nobody can change in its key. */
export const addressIn = ({ SK }: Pick<Key, "SK">): string => SK.split("#")[2] ?? "";

/**
 * Key of an owner of an address. Owners have a partition of their own, because several users may have the private key
 * of the same address.
 */
export const walletOwnerKey = (userID: string, network: Network, address: string): Key =>
  itemKey("walletOwner", { userID, network, address });

/** Returns the key of the owner of a wallet, from the wallet's key. */
export function ownerKeyOf({ SK }: Key, userID: string): Key {
  const [, network = ""] = SK.split("#");
  return itemKey("walletOwner", { userID, network, address: addressIn({ SK }) });
}

export const ownersOfWallet = (network: Network, address: string): KeyRange =>
  rangeOf("walletOwner", { network, address });

/**
 * Key of the item with a wallet's encrypted private key. This item is kept apart because only few functions may read
 * it.
 */
export const sealedKeyKey = (userID: string, network: Network, address: string): Key =>
  itemKey("sealedKey", { userID, network, address });

export const everySealedKey = sortKeysOf("sealedKey");

export const isSealedKey = (key: Key): boolean => itemAt(key) === "sealedKey";

export const isWallet = (key: Key): boolean => itemAt(key) === "wallet";
