import type { Takeover } from "./takeover.ts";

/** Takeovers of the functions that keep wallets, their policies and their exports. */
export const walletTakeovers: readonly Takeover[] = [
  {
    functions: ["storeWallet"],
    rights: {
      reads: "all unprotected",
      writes: "USER, WALLETS, OWNERS, SEALED, WALLETLOG",
      uses: "make data keys",
    },
    atMost:
      "learn the keys that are imported meanwhile; give users wallets with keys of its own; show, hide and destroy wallets; share out what wallets lack among the wrong positions; change profiles",
  },
  {
    functions: ["importWallet"],
    rights: {
      reads: "all unprotected",
      writes: "USER, WALLETS, OWNERS, SEALED, WALLETLOG, USEDKEYS",
      uses: "make data keys; read import keys; open sealed imports",
    },
    atMost:
      "learn the keys that are imported meanwhile, and open earlier sealed imports if it has captured them; otherwise the same as storeWallet",
  },
  {
    functions: ["createWallet"],
    rights: {
      reads: "all unprotected",
      writes: "USER, WALLETS, OWNERS, SEALED, WALLETLOG, USEDKEYS",
      uses: "make data keys",
    },
    atMost: "learn the keys of the wallets that it creates meanwhile; otherwise the same as storeWallet",
  },
  {
    functions: ["listImportKeys"],
    rights: { uses: "read import keys" },
    atMost:
      "offer an import key of its own to clients that do not pin the key's id, and so learn what they import",
  },
  {
    functions: ["retireWallet"],
    rights: {
      reads: "all unprotected, SIGNED, CANCELLED, RESTING",
      writes: "USER, WALLETS, OWNERS, SEALED, WALLETLOG, CANCELLED",
      uses: "invoke executeOrders, fireOrders",
    },
    atMost:
      "show, hide and destroy wallets of all users, and forge their events; see the prices of resting orders; cancel orders, and keep users from trading, like cancelOrder; share out what wallets lack among the wrong positions; change profiles",
  },
  {
    functions: ["restoreWallet"],
    rights: { reads: "all unprotected", writes: "USER, WALLETS, OWNERS, SEALED, WALLETLOG" },
    atMost:
      "show, hide and destroy wallets of all users, and forge their events; share out what wallets lack among the wrong positions; change profiles",
  },
  {
    functions: ["updateWallet"],
    rights: { reads: "all unprotected", writes: "WALLETS, WALLETLOG" },
    atMost:
      "show, hide and remove wallets of all users, but not under another address, and forge their events; their keys stay",
  },
  {
    functions: ["getWalletPolicy"],
    rights: { reads: "all unprotected, POLICY" },
    atMost: "read the data of all users",
  },
  {
    functions: ["setWalletPolicy"],
    rights: { reads: "all unprotected", uses: "invoke loosenGuards" },
    atMost:
      "tighten and freeze the policies of all users at once; raise their limits of network fees at once, which is announced; request looser policies, which take effect a day after their announcement; drop users' requests",
  },
  {
    functions: ["loosenGuards"],
    rights: {
      reads: "all unprotected, POLICY, EXPORTED, LOCK",
      writes: "POLICY, GUARDS, LOOSENINGS, WALLETLOG",
      deletes: "LOOSENINGS",
    },
    atMost:
      "lift or tighten the policies of all users at once and unannounced; forge events of wallets and messages about policies",
  },
  {
    functions: ["exportWallet"],
    rights: { reads: "all unprotected, EXPORT, EXPORTED", writes: "EXPORT", uses: "invoke sealExport" },
    atMost:
      "request exports to keys of its own, three a day for each user, also in place of an owner's request; get a private key a whole delay after its announcement, unless the owner cancels or locks",
  },
  {
    functions: ["cancelExport"],
    rights: { reads: "all unprotected, EXPORT", writes: "EXPORT", uses: "invoke sealExport" },
    atMost: "the same as exportWallet",
  },
  {
    functions: ["lockExports"],
    rights: { writes: "LOCK" },
    atMost: "lock the exports of all users, not lock when asked, and put back a lock that has ended",
  },
  {
    functions: ["unlockExports"],
    rights: { reads: "all unprotected, EXPORTED, LOCK", writes: "UNLOCK", uses: "invoke sealExport" },
    atMost:
      "begin to unlock the exports of all users, a whole delay after each announcement; withdraw announced exports, or receive them in their owners' place, still encrypted to the announced key",
  },
  {
    functions: ["getExportLock"],
    rights: { reads: "all unprotected, EXPORTED, LOCK" },
    atMost: "read the data of all users",
  },
  {
    functions: ["sealExport"],
    rights: {
      reads: "all unprotected, EXPORT, EXPORTED, LOCK, UNLOCK, SEALED",
      writes: "EXPORTED, LOOSENINGS, WALLETLOG",
      uses: "decrypt wallets",
    },
    atMost:
      "read every private key and pass it on in its answers and in the table, without a route to the internet; forge and withhold announcements",
  },
];
