import type { Network } from "../core/network.ts";
import { itemAt, itemKey, type Key, type KeyRange, rangeOf, sortKeysOf } from "./keys.ts";

/** Wallets are read by lib/wallets and by lib/trading/items, which stands below it. */
export const walletKey = (userID: string, network: Network, address: string): Key =>
  itemKey("wallet", { userID, network, address });

export const walletsOf = (userID: string): KeyRange => rangeOf("wallet", { userID });

/** Several users may have the key of one address, so the owners of an address have a partition of their own. */
export const walletOwnerKey = (userID: string, network: Network, address: string): Key =>
  itemKey("walletOwner", { userID, network, address });

export const ownersOfWallet = (network: Network, address: string): KeyRange =>
  rangeOf("walletOwner", { network, address });

/** The encrypted private key of a wallet is apart from it, because few functions may read it. */
export const sealedKeyKey = (userID: string, network: Network, address: string): Key =>
  itemKey("sealedKey", { userID, network, address });

export const everySealedKey = sortKeysOf("sealedKey");

export const isSealedKey = (key: Key): boolean => itemAt(key) === "sealedKey";

export const isWallet = (key: Key): boolean => itemAt(key) === "wallet";
