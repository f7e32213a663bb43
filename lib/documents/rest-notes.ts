import type { RestOperationName } from "../operations.ts";

/** The groups of the reference page, in its order. */
export const restTags = {
  Wallets:
    "Make, import, name and retire wallets. Private keys never leave the service, except in a sealed export.",
  Sessions: "Keep a page's token in a cookie that no script can read.",
  "Trading settings": "What orders take from the user where they do not say otherwise, for each chain.",
  Users: "The profile, level and referrals of the user.",
  Rewards: "What points can buy.",
  Markets: "Tokens, balances, and what a trade would give.",
  Orders: "Place, cancel and follow orders, and the positions that come of them.",
} as const;

type Note = { tag: keyof typeof restTags; description: string };

const byID = "Another user's wallet is a 404, as if it did not exist.";
const newestFirst =
  "The answer has a `cursor` as long as there are more; send it back with the same filters.";
const makesOne =
  "Make the Idempotency-Key before the first try, and repeat a request that was not answered with the same key and body.";

/** What the reference page says of each operation, beside its summary. In Markdown. */
export const restNotes: Record<RestOperationName, Note> = {
  storeWallet: {
    tag: "Wallets",
    description:
      "Seals the private key under a data key of its own. The same address on the same network is the same wallet: importing it again changes nothing. To let nobody on the way see the key, import it sealed.",
  },
  listWallets: {
    tag: "Wallets",
    description: "Answers a bare array, without retired wallets. Private keys are never returned.",
  },
  listWalletsV2: {
    tag: "Wallets",
    description: `Lists all wallets, or those of a network, in pages if \`limit\` or \`cursor\` is given. ${newestFirst}`,
  },
  listImportKeys: {
    tag: "Wallets",
    description: "Seal to the first key, and pin its `keyId` in your program. Others are on their way out.",
  },
  importWallet: {
    tag: "Wallets",
    description: `Takes a private key that the client has encrypted by HPKE to one of the import keys, with the Idempotency-Key as additional data: docs/wallets.md has the 25 lines of JavaScript that it takes. ${makesOne}`,
  },
  createWallet: {
    tag: "Wallets",
    description: `The key comes from the platform's generator of random bytes, and nobody else has it. ${makesOne}`,
  },
  updateWallet: { tag: "Wallets", description: `\`null\` goes back to the default. ${byID}` },
  retireWallet: {
    tag: "Wallets",
    description: `Ends its open orders. It can be restored for 30 days; then its private key is removed for good. ${byID}`,
  },
  restoreWallet: {
    tag: "Wallets",
    description: `Needs a free place of the wallet limit. Of an active wallet, it changes nothing. ${byID}`,
  },
  listWalletEvents: {
    tag: "Wallets",
    description: `Also of a wallet that is retired or gone. ${newestFirst} ${byID}`,
  },
  getWalletPolicy: {
    tag: "Wallets",
    description: `A wallet without a policy may buy anything. \`pending\` is what will be in force later. ${byID}`,
  },
  setWalletPolicy: {
    tag: "Wallets",
    description: `Replaces the policy. What is tighter holds at once, and what is looser after 24 hours. ${byID}`,
  },
  exportWallet: {
    tag: "Wallets",
    description: `The first request is announced to the user, and answers when the export is possible. The same request after that answers the private key, sealed to the public key that both name. ${byID}`,
  },
  cancelExport: { tag: "Wallets", description: "Do this at once if you did not request the export." },
  startSession: {
    tag: "Sessions",
    description:
      "The token has to be in the `Authorization` header. Browsers send the cookie from pages of the API's own site only, and keep it no longer than the token is valid.",
  },
  endSession: {
    tag: "Sessions",
    description: "Removes the cookie from the browser. The token stays valid until it expires.",
  },
  updateTradingSettings: {
    tag: "Trading settings",
    description:
      "Changes the fields that the body has, and answers the full record. All connections of the user get `TradingSettingsUpdated`. With `If-Match`, nothing changes unless the settings have one of the given ETags.",
  },
  getTradingSettings: {
    tag: "Trading settings",
    description:
      "Defaults stand for what the user has not set. The ETag is the version, for the `If-Match` of a change and the `If-None-Match` of the next read.",
  },
  getUserData: {
    tag: "Users",
    description:
      "With `type=ref`, the referral data; with anything else, the profile with the settings of all chains.",
  },
  listRewards: {
    tag: "Rewards",
    description:
      "`userCanAfford` compares the user's points with the cost. `stock` is what is left, and -1 for an unlimited reward.",
  },
  redeemReward: {
    tag: "Rewards",
    description: `Takes the points at once; an operator then fulfils the redemption, or refunds it. ${makesOne}`,
  },
  listRedemptions: { tag: "Rewards", description: `With the points that the user has now. ${newestFirst}` },
  listTokens: {
    tag: "Markets",
    description: "The coin comes first, as `native`. Others can be traded too, by their address.",
  },
  inspectToken: {
    tag: "Markets",
    description:
      "Simulates a buy and a sale of 0.01 coins. `sellable`, `buyTax` and `sellTax` are `null` if the hosts cannot simulate.",
  },
  readBalances: {
    tag: "Markets",
    description:
      "The coin, the listed tokens, and those of open positions. `reserved` is what open orders will spend, and `available` the rest.",
  },
  quoteOrder: {
    tag: "Markets",
    description:
      "Reserves nothing and binds nobody. `wouldBeRefused` is the first error that an order would get.",
  },
  placeOrder: {
    tag: "Orders",
    description: `Answers as soon as the order is recorded; its progress arrives on the stream. ${makesOne}`,
  },
  cancelOrder: {
    tag: "Orders",
    description:
      "While no swap is signed, the order ends at once. Afterwards a transaction that does nothing competes for its nonce. Repeating it is harmless.",
  },
  listOrders: { tag: "Orders", description: newestFirst },
  getOrder: {
    tag: "Orders",
    description:
      "`report` says what a filled order spent and received, by its receipts. Another user's order is a 404, as if it did not exist.",
  },
  listPositions: { tag: "Orders", description: newestFirst },
};
