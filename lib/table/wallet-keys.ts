import type { Network } from "../core/network.ts";
import { itemAt, itemKey, type Key, type KeyRange, rangeOf, sortKeysOf } from "./keys.ts";

/** Wallets are read by lib/wallets and by lib/trading/items, which stands below it. */
export const walletKey = (userID: string, network: Network, address: string): Key =>
  itemKey("wallet", { userID, network, address });

export const walletsOf = (userID: string): KeyRange => rangeOf("wallet", { userID });

/** The encrypted private key of a wallet is apart from it, because few functions may read it. */
export const sealedKeyKey = (userID: string, network: Network, address: string): Key =>
  itemKey("sealedKey", { userID, network, address });

export const everySealedKey = sortKeysOf("sealedKey");

export const isSealedKey = (key: Key): boolean => itemAt(key) === "sealedKey";

export const isWallet = (key: Key): boolean => itemAt(key) === "wallet";
