import type { RestOperationName } from "../../operations/operations.ts";

/** Groups of the reference page, in order. */
export const restTags = {
  Wallets:
    "Create, import, name and retire wallets. Private keys never leave the service, except in a sealed export.",
  Sessions: "Keep a page's token in a cookie that scripts cannot read.",
  Programs: "Let programs sign their own requests, within scopes and limits.",
  "Trading settings": "Defaults of orders, for each chain.",
  Devices: "Browsers and webhooks that get notices of what happened while nobody looked.",
  Users: "Read the user's profile, level and referrals, and choose a public name.",
  Rewards: "List rewards and buy them with points, and compare users by XP.",
  Markets: "Tokens, balances and quotes.",
  Orders: "Place, cancel and follow orders and the resulting positions.",
} as const;

type Note = { tag: keyof typeof restTags; description: string };

const byId = "For another user's wallet, the response is 404, as if it did not exist.";
const newestFirst = "The response has a `cursor` while more follow; send it back with the same filters.";
const makesOne =
  "Create the Idempotency-Key before the first attempt, and repeat an unanswered request with the same key and body.";

/** Descriptions of each operation on the reference page, in Markdown. They follow the operation's summary. */
export const restNotes: Record<RestOperationName, Note> = {
  storeWallet: {
    tag: "Wallets",
    description:
      "Seals the private key under its own data key. The same address on the same network is the same wallet: importing it again changes nothing. A sealed import also hides the key on its way to the service.",
  },
  listWallets: {
    tag: "Wallets",
    description: "Returns a bare array, without retired wallets. Private keys are never returned.",
  },
  listWalletsV2: {
    tag: "Wallets",
    description: `Lists all wallets, or those of a network, in pages if \`limit\` or \`cursor\` is given. ${newestFirst}`,
  },
  listImportKeys: {
    tag: "Wallets",
    description:
      "Seal to the first key, and pin its `keyId` in your program. The others will soon be removed.",
  },
  importWallet: {
    tag: "Wallets",
    description: `Takes a private key that the client has encrypted by HPKE to one of the import keys, with the Idempotency-Key as additional data. docs/wallets.md has the necessary 25 lines of JavaScript. ${makesOne}`,
  },
  createWallet: {
    tag: "Wallets",
    description: `The key comes from the platform's random number generator, and nobody else has it. ${makesOne}`,
  },
  updateWallet: { tag: "Wallets", description: `\`null\` restores the default. ${byId}` },
  retireWallet: {
    tag: "Wallets",
    description: `Ends the wallet's open orders. The wallet can be restored for 30 days; then its private key is deleted for good. ${byId}`,
  },
  restoreWallet: {
    tag: "Wallets",
    description: `Fails if the wallet limit is reached. No effect on an active wallet. ${byId}`,
  },
  listWalletEvents: {
    tag: "Wallets",
    description: `Includes wallets that are retired or deleted. ${newestFirst} ${byId}`,
  },
  getWalletPolicy: {
    tag: "Wallets",
    description: `A wallet without a policy may buy anything. \`pending\` takes effect later. ${byId}`,
  },
  setWalletPolicy: {
    tag: "Wallets",
    description: `Replaces the policy. Tighter limits apply at once, looser ones within a minute after they were announced for 24 hours, and only with a sign-in of the last five minutes. ${byId}`,
  },
  exportWallet: {
    tag: "Wallets",
    description: `Needs a sign-in of the last five minutes. The first request is announced to the user, and returns the time from which the export is possible. After that time, the same request returns the private key, sealed to the public key in both requests. If \`thumbprint\` does not belong to your key, cancel the export at once. ${byId}`,
  },
  cancelExport: { tag: "Wallets", description: "Do this at once if you did not request the export." },
  lockExports: {
    tag: "Wallets",
    description:
      "Ends all pending exports. No other export can be requested until exports are unlocked. Locking again cancels a pending unlocking.",
  },
  unlockExports: {
    tag: "Wallets",
    description:
      "Takes the whole delay of exports, and is announced to the user. Needs a sign-in of the last five minutes. A lock that cannot be read stays `locked`: lock again first.",
  },
  getExportLock: { tag: "Wallets", description: "Exports can be requested while `status` is `unlocked`." },
  createKey: {
    tag: "Programs",
    description:
      "Needs a sign-in of the last five minutes, and is announced to the user. The program keeps the private key. A key cannot be changed: make another one. The same body answers the key that it made before.",
  },
  listKeys: {
    tag: "Programs",
    description: "Includes keys that were revoked or ended in the last 30 days.",
  },
  deleteKey: {
    tag: "Programs",
    description:
      "Takes effect from the next request, and closes the program's connections within seconds. Revoking a revoked key changes nothing.",
  },
  createDevice: {
    tag: "Devices",
    description:
      "Needs a sign-in of the last five minutes, and is announced to the user's other devices. A browser that subscribes again replaces its device. Only the response has a webhook's secret. docs/notices.md says how to verify notices.",
  },
  listDevices: {
    tag: "Devices",
    description: "Lists devices in the order in which they were registered, without their addresses.",
  },
  deleteDevice: {
    tag: "Devices",
    description:
      "The device gets notices about custody until `leavesAt`, a day later, so that a thief cannot silence its owner. Repeating the request changes nothing.",
  },
  startSession: {
    tag: "Sessions",
    description:
      "The token must be in the `Authorization` header. Browsers send the cookie only from pages of the API's own site, and drop it when the token expires.",
  },
  endSession: {
    tag: "Sessions",
    description:
      "Removes the cookie from the browser, even without a valid token. The token stays valid until it expires.",
  },
  updateTradingSettings: {
    tag: "Trading settings",
    description:
      "Changes the fields of the body, and returns the full record. All connections of the user get `TradingSettingsUpdated`. With `If-Match`, nothing changes unless the settings have one of the given ETags.",
  },
  getTradingSettings: {
    tag: "Trading settings",
    description:
      "Defaults replace settings that the user has not changed. The ETag is the version: use it for `If-Match` in a change and `If-None-Match` in the next read.",
  },
  getUserData: {
    tag: "Users",
    description:
      "Returns referral data with `type=ref`, and otherwise the profile with the settings of all chains.",
  },
  updateProfile: {
    tag: "Users",
    description:
      "Users are listed on leaderboards only under a name that they have chosen here. `null` takes the name back at once.",
  },
  listRewards: {
    tag: "Rewards",
    description:
      "`userCanAfford` compares the user's points with the cost. `stock` is the number left, or -1 for an unlimited reward.",
  },
  redeemReward: {
    tag: "Rewards",
    description: `Takes the points at once. An operator then fulfils or refunds the redemption. ${makesOne}`,
  },
  listRedemptions: { tag: "Rewards", description: `Includes the user's current points. ${newestFirst}` },
  getLeaderboard: {
    tag: "Rewards",
    description:
      "Lists ranked users with a public name who have earned XP in the current UTC day, ISO week or month. `isYou` marks the caller.",
  },
  listTokens: {
    tag: "Markets",
    description: "The coin comes first, as `native`. Other tokens can be traded by address.",
  },
  inspectToken: {
    tag: "Markets",
    description:
      "Simulates a buy and a sale of 0.01 coins. `sellable`, `buyTax` and `sellTax` are `null` if the hosts cannot simulate; the taxes of tokens on sol are those of their mints.",
  },
  getMarket: {
    tag: "Markets",
    description:
      "The price is that of one pool, in which a sale gets most. `native` is the chain's coin. See docs/markets.md.",
  },
  listCandles: {
    tag: "Markets",
    description:
      "Prices are those at the ends of blocks. Returns the last `limit` candles of the range, oldest first. See docs/markets.md.",
  },
  listNewTokens: {
    tag: "Markets",
    description:
      "A chain is read while somebody asks, a range of blocks every two seconds at most: repeat the request. See docs/markets.md.",
  },
  readBalances: {
    tag: "Markets",
    description:
      "Lists the coin, the listed tokens, and the tokens of open positions. `reserved` is the amount that open orders will spend, and `available` is the rest.",
  },
  quoteOrder: {
    tag: "Markets",
    description:
      "Reserves nothing and is not binding. `wouldBeRefused` is the first error that an order would get.",
  },
  placeOrder: {
    tag: "Orders",
    description: `Responds as soon as the order is recorded; its progress arrives on the stream. ${makesOne}`,
  },
  cancelOrder: {
    tag: "Orders",
    description:
      "While no swap is signed, the order ends at once. After that, an empty transaction competes for its nonce, or on sol for its marker. Repeating the request is harmless.",
  },
  cancelOrders: {
    tag: "Orders",
    description:
      "One write decides: nothing that was placed before is signed any more, and each open order is `cancelled` or `cancelling` within ten seconds. An order placed at the same moment is counted, or placed later. Also works while trading is stopped.",
  },
  setPreset: {
    tag: "Trading settings",
    description:
      "Replaces the preset. Earlier orders stay as they are. With `If-Match`, nothing changes unless the preset has one of the given ETags.",
  },
  getPreset: {
    tag: "Trading settings",
    description: "The ETag is the version: use it for `If-Match` in a change.",
  },
  listOrders: { tag: "Orders", description: newestFirst },
  getOrder: {
    tag: "Orders",
    description:
      "`report` has the amounts that a filled order spent and received, from its receipts. For another user's order, the response is 404, as if it did not exist.",
  },
  listPositions: { tag: "Orders", description: newestFirst },
};
