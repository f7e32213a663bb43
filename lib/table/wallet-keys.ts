import type { Network } from "../core/network.ts";
import { itemAt, itemKey, type Key, type KeyRange, rangeOf, sortKeysOf } from "./keys.ts";

/** Wallets are read by lib/wallets and by lib/trading/items, which stands below it. */
export const walletKey = (userID: string, network: Network, address: string): Key =>
  itemKey("wallet", { userID, network, address });

export const walletsOf = (userID: string): KeyRange => rangeOf("wallet", { userID });

export const everyWallet = sortKeysOf("wallet");

export const isWallet = (key: Key): boolean => itemAt(key) === "wallet";
