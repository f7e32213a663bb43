import type { Takeover } from "./takeover.ts";
import { tradingTakeovers } from "./trading-takeovers.ts";
import { walletTakeovers } from "./wallet-takeovers.ts";

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
  ...walletTakeovers,
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
