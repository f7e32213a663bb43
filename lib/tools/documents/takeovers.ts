import type { Takeover } from "./takeover.ts";
import { tradingTakeovers } from "./trading-takeovers.ts";

/**
 * Describes the most that an intruder can do by running a function's code. Before you change rights in this list, read
 * their sentence again, because it must cover every right, together with everything that all functions can do.
 */
export const takeovers: readonly Takeover[] = [
  {
    functions: ["authorize"],
    rights: {
      reads: "all unprotected, PROGRAMKEYS",
      writes: "USER, REFCODE, REFERRALS, USEDTOKENS",
    },
    atMost:
      "act as any user over REST, as if just signed in: place orders within policies, raise limits of network fees at once, make and revoke program keys, which is announced, retire wallets, and export them a whole delay after the announcement; change profiles, also tiers and points",
  },
  {
    functions: ["authorizeConnection"],
    rights: {
      reads: "all unprotected, PROGRAMKEYS",
      writes: "USER, REFCODE, REFERRALS, USEDTOKENS",
    },
    atMost:
      "connect as any user, and see all that the user is sent; use a program's token again within its minute, if it has captured one; change profiles, also tiers and points",
  },
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
  {
    functions: ["updateTradingSettings"],
    rights: { writes: "SETTINGS" },
    atMost:
      "change the settings of all users, and so the slippage and gas of their next orders; a change without a message raises an alarm",
  },
  {
    functions: ["setPreset"],
    rights: { reads: "all unprotected, POLICY", writes: "PRESETS" },
    atMost:
      "change the next automatic buys of all users and the exits that their buys get, and switch both on and off on bsc and avax, within their wallets' policies; place nothing itself",
  },
  {
    functions: ["getPreset"],
    rights: { reads: "all unprotected, PRESETS, POLICY" },
    atMost: "read the data of all users",
  },
  {
    functions: ["createKey"],
    rights: { reads: "all unprotected, PROGRAMKEYS", writes: "PROGRAMKEYS" },
    atMost:
      "make program keys for all users, which each of them is sent, and so read their data, place orders within policies, and change settings; revoke, lift and restore limits of program keys",
  },
  {
    functions: ["listKeys"],
    rights: { reads: "all unprotected, PROGRAMKEYS" },
    atMost: "read the data of all users",
  },
  {
    functions: ["deleteKey"],
    rights: {
      reads: "all unprotected, RESTING",
      writes: "PROGRAMKEYS, TRADES, CANCELLED, RESTING, TRIGGERS",
      deletes: "RESTING, TRIGGERS",
      uses: "invoke executeOrders",
    },
    atMost: "the same as createKey and cancelOrders",
  },
  {
    functions: ["creditReferrals"],
    rights: { reads: "all unprotected", writes: "USER, REFERRALS", deletes: "REFERRALS" },
    atMost: "change profiles, also tiers and points; deny referrers their credit",
  },
  {
    functions: ["updateProfile"],
    rights: { reads: "all unprotected", writes: "USER, LEADERBOARD", deletes: "LEADERBOARD" },
    atMost: "change profiles, also tiers and points; lie on leaderboards",
  },
  {
    functions: ["redeemReward"],
    rights: { reads: "all unprotected", writes: "USER, POINTS, REWARD, REDEMPTION, REDEMPTIONS" },
    atMost: "give and take points, tiers and purchases; change stocks",
  },
  {
    functions: ["creditTrades"],
    rights: {
      reads: "all unprotected",
      writes: "USER, POINTS, EARNED, LEADERBOARD",
      deletes: "EARNED, LEADERBOARD",
      uses: "invoke feedPrices",
    },
    atMost:
      "change profiles, also tiers and points, and the lines that account for them; deny users what their trades have earned; lie on leaderboards; buy no reward",
  },
  {
    functions: ["connect"],
    rights: {
      reads: "all unprotected, PROGRAMKEYS",
      writes: "CONNECTIONS, CHANNEL",
      deletes: "CONNECTIONS, CHANNEL",
      uses: "look up connections",
    },
    atMost: "have all that users are sent pushed to a connection of its own; forget connections",
  },
  {
    functions: ["disconnect"],
    rights: { deletes: "CONNECTIONS, CHANNEL" },
    atMost: "forget connections",
  },
  {
    functions: ["subscribe"],
    rights: {
      reads: "all unprotected, EXPORTED, LOCK, PROGRAMKEYS",
      writes: "CONNECTIONS, CHANNEL, MARKETNEWS",
      deletes: "CHANNEL",
      uses: "send to, close connections; invoke feedPrices, readMarkets",
    },
    atMost: "send any message to any client; have all that users are sent pushed to a connection of its own",
  },
  {
    functions: ["unsubscribe"],
    rights: {
      reads: "all unprotected",
      writes: "CONNECTIONS, CHANNEL, MARKETNEWS",
      deletes: "CHANNEL",
      uses: "send to, close connections",
    },
    atMost: "send any message to any client; have all that users are sent pushed to a connection of its own",
  },
  {
    functions: ["publishChanges"],
    rights: {
      reads: "all unprotected, all changes",
      writes: "CONNECTIONS, CHANNEL",
      deletes: "CONNECTIONS, CHANNEL",
      uses: "send to, close connections; invoke deliver, catchUp, feedPrices, readMarkets; send notices",
    },
    atMost:
      "read all that is written, also signed transactions and encrypted private keys; forge or hold back any message, also announcements of exports",
  },
  {
    functions: ["createDevice"],
    rights: {
      reads: "all unprotected, DEVICES",
      writes: "DEVICES, DEVICEKEYS, CONNECTIONS",
    },
    atMost:
      "read the data of all users; give users devices of its own, which is announced, and so get their notices; replace devices; have all that users are sent pushed to a connection of its own",
  },
  {
    functions: ["listDevices"],
    rights: { reads: "all unprotected, DEVICES" },
    atMost: "read the data of all users; offer browsers a key for pushes of its own",
  },
  {
    functions: ["deleteDevice"],
    rights: { reads: "all unprotected, DEVICES", writes: "DEVICES, DEVICEKEYS" },
    atMost: "read the data of all users; keep notices from devices, and redirect them",
  },
  {
    functions: ["notifyOwner"],
    rights: {
      reads: "DEVICES, DEVICEKEYS",
      writes: "DEVICES, DEVICEKEYS",
      deletes: "DEVICES, DEVICEKEYS",
      uses: "read notices, queue retries, read the key for pushes",
    },
    atMost:
      "read, forge and hold back notices, and learn the addresses of devices and the secrets of webhooks; read no wallet, order or other data",
  },
  {
    functions: ["deliver"],
    rights: {
      reads: "all unprotected",
      writes: "CONNECTIONS, CHANNEL",
      deletes: "CONNECTIONS, CHANNEL",
      uses: "send to, close connections",
    },
    atMost:
      "send any message to any client; have all that users are sent pushed to a connection of its own; forget connections",
  },
  {
    functions: ["catchUp"],
    rights: {
      reads: "all unprotected, EXPORTED, LOCK, PROGRAMKEYS",
      writes: "CONNECTIONS, CHANNEL",
      deletes: "CONNECTIONS, CHANNEL",
      uses: "send to connections",
    },
    atMost:
      "send any message to any client; have all that users are sent pushed to a connection of its own; forget connections",
  },
  {
    functions: ["ping", "unknownMessage"],
    rights: { uses: "send to, close connections" },
    atMost: "send any message to any connection whose id it learns, and close it",
  },
  {
    functions: ["feedPrices"],
    rights: { reads: "all unprotected", writes: "PRICES" },
    atMost: "read all unprotected data; show false prices, by which no order is placed",
  },
  {
    functions: ["mirrorPlans"],
    rights: {
      reads: "all unprotected, all changes",
      writes: "USERKEY, RETIREDKEYS",
      deletes: "USERKEY",
      uses: "create, get, update API keys and plans",
    },
    atMost:
      "read all that is written, also signed transactions and encrypted private keys; give and take rate limits",
  },
  {
    functions: ["deleteRetiredKeys"],
    rights: {
      reads: "all unprotected",
      writes: "USERKEY, RETIREDKEYS",
      deletes: "USERKEY, RETIREDKEYS",
      uses: "create, get, delete, update API keys and plans",
    },
    atMost: "give and take rate limits",
  },
  {
    functions: ["freeIdleKeys"],
    rights: {
      reads: "all unprotected",
      writes: "USERKEY, RETIREDKEYS",
      deletes: "USERKEY",
      uses: "get API keys and plans",
    },
    atMost: "give and take rate limits",
  },
  {
    functions: ["makeFallbackKeys"],
    rights: {
      reads: "all unprotected",
      writes: "FALLBACKKEYS",
      uses: "create, get, delete API keys and plans",
    },
    atMost: "lock out users without a key of their own, and give and take their rate limits",
  },
  ...tradingTakeovers,
  {
    functions: ["getMarket"],
    rights: {
      reads: "all unprotected",
      writes: "MARKETNEWS, MARKETLOOKS",
      uses: "invoke readMarkets, feedPrices",
    },
    atMost: "read the data of all users; start readers of markets that nobody wants, which costs hosts",
  },
  {
    functions: ["listCandles"],
    rights: {
      reads: "all unprotected",
      writes: "MARKETNEWS, MARKETLOOKS",
      uses: "invoke readMarkets",
    },
    atMost: "the same as getMarket",
  },
  {
    functions: ["listNewTokens"],
    rights: { reads: "all unprotected", writes: "NEWTOKENS" },
    atMost: "read the data of all users; show false new tokens, which orders do not trust",
  },
  {
    functions: ["listPositions"],
    rights: {
      reads: "all unprotected",
      writes: "MARKETNEWS",
      uses: "invoke readMarkets, executeOrders",
    },
    atMost: "the same as getMarket; wake lanes, which decide only by the chain",
  },
  {
    functions: ["listTokens"],
    rights: { reads: "all unprotected", writes: "MARKETLOOKS" },
    atMost: "read the data of all users; keep them from looking up tokens that nobody follows",
  },
  {
    functions: ["readMarkets"],
    rights: {
      reads: "all unprotected",
      writes: "MARKETS, MARKET, MARKETINDEX, MARKETREADER, MARKETHELD, MARKETLOOKS",
      uses: "invoke deliver, feedPrices, readMarkets, loadHistory",
    },
    atMost:
      "read all unprotected data; show false prices and charts of tokens, by which no order is placed; send any message to subscribers of prices",
  },
  {
    functions: ["loadHistory"],
    rights: { reads: "all unprotected", writes: "MARKET" },
    atMost: "read all unprotected data; show false charts of the past",
  },
  {
    functions: ["recordExecutions"],
    rights: { reads: "all unprotected", writes: "TRADES", deletes: "TRADES" },
    atMost: "lie about all orders and positions; hold back orders that were placed here",
  },
  {
    functions: [
      "listWallets",
      "listWalletsV2",
      "listWalletEvents",
      "getTradingSettings",
      "getUserData",
      "listRewards",
      "listRedemptions",
      "getLeaderboard",
    ],
    rights: { reads: "all unprotected" },
    atMost: "read the data of all users",
  },
  {
    functions: ["listOrders", "getOrder"],
    rights: { reads: "all unprotected, RESTING" },
    atMost: "read the data of all users, also the prices at which their orders fire",
  },
  {
    functions: [
      "startSession",
      "endSession",
      "inspectToken",
      "refuseTrading",
      "refuseMarkets",
      "refuseExport",
      "refuseDevices",
    ],
    rights: {},
    atMost: "act as its callers, while their tokens last",
  },
];
