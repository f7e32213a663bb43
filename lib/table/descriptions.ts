import type { ItemName } from "./keys.ts";
import type { PartitionName } from "./layout.ts";

// Texts of docs/table.md. They are kept apart from the layout, because all functions load the layout.

/** Content of each item. */
export const itemDescriptions: Readonly<Record<ItemName, string>> = {
  profile: "the profile",
  progress: "the level, XP and points in the latest `ProfileUpdated`",
  referral: "a user who was referred by this one",
  settings: "the trading settings of a chain",
  preset: "the terms of the user's automatic orders on a chain",
  wallet: "a wallet; the key itself makes an address unique",
  walletOwner: "a user who has, or had, the key of the address; several users may share one",
  sealedKey: "the encrypted private key of a wallet",
  usedKey: "an idempotency key that was used",
  automaticBuy: "when the user last bought the token automatically",
  restingTurn: "of a third of the user's requests, how many have added resting orders, one at a time",
  connection: "an open connection, with its channels",
  connectionCount: "the connections that count towards the user's limit",
  deviceCount:
    "the devices that count towards the user's limit; such a user's fills are put on the notice bus",
  device: "a device that gets notices, without its address",
  deviceAddress: "the device's address, with the keys or the secret for it",
  pushKey: "the public key that browsers subscribe with",
  userKey: "the record of the user's API key",
  walletEvent: "an event of a wallet, kept for good",
  policy: "the limits on a wallet's buys",
  shownPolicy: "a wallet's policy as its user was last sent it",
  endedLock: "the last lock whose end has taken effect",
  loosening: "a looser policy, or the end of a lock, that takes effect at that time",
  exportRequest: "a requested export of a wallet",
  exportLock: "the user's lock of exports",
  unlockRequest: "the id of the lock that the user wants to end",
  announcedExport: "the request as sealExport saw and announced it",
  announcedUnlocking: "the end of a lock as sealExport saw and announced it",
  announcedDay: "the number of exports that were announced to the user on a day",
  exportedKey: "the last time that a wallet's private key was sealed for its owner, kept for good",
  order: "an order",
  position: "a position",
  listedOrder: "the order again, for lists",
  listedPosition: "the position again, for lists",
  trade: "an order placed here, or an ended resting order, with the data that clients may not see",
  book: "the fills from which a token's positions are computed",
  openExecution: "the name of another engine's open order or position",
  resting: "a resting order that has not ended",
  trigger: "the prices at which a resting order fires",
  programKey: "a program key, kept for 30 days after its end",
  programKeyTurn: "how many program keys the user has made, one at a time",
  usedToken: "a token of a program that was used for a write, kept for two minutes",
  lane: "a wallet's lane, in its shard",
  laneShards: "in shard 0: the greatest number of shards that ever had lanes",
  heldToken: "a token that a settled position counts, in the minute in which the sweep has it checked",
  job: "an order of the lane that is not settled",
  lanePlace: "the shard of the lane",
  slot: "a nonce of the wallet, with the transactions signed for it",
  ledger: "the signer's record of the transactions that it signed for an order",
  signedDay: "the signer's count of a wallet's buys and network fees on a day",
  keyDay: "the signer's count of a program key's buys and network fees on a day",
  tally: "the signer's record of a resting order: the child that may fill, and fees",
  ended: "a resting order's children that are over, as executeOrders has proved, until a day after its end",
  signedBytes: "the bytes of a signed transaction, kept for a week",
  cancellation: "the user has cancelled the order with that id",
  cutoff: "one of 32 equal parts: the time up to which all orders are cancelled, one for each chain",
  walletCutoff: "the time up to which all orders of a wallet are cancelled",
  tradingStop: "an operator has stopped trading on the chain",
  watcher: "the lease of the run that reads the chain",
  catalogue: "the rewards: one item, so that they change as a whole",
  stock: "the remaining stock of a limited reward",
  redemption: "a reward that the user has bought, kept for good",
  redemptionPlace: "the place of the redemption with that id, written once for each id",
  pointsLine: "a change of the user's points, kept for good",
  earned: "what a settled fill has earned its user, until it is credited",
  standing: "a user's XP in a day, week or month, under the public name",
  referralCode: "the owner of the referral code",
  pendingReferral: "a pending referral: the referrer has no credit yet",
  retiredKey: "an API key that is no longer used",
  fallbackKeys: "how many fallback keys may be used",
  subscriber: "a subscriber of a public channel, in its shard",
  channelShards: "in shard 0: the number of shards that may have subscribers",
  marketNews: "tokens that a client has just asked for, kept for ten minutes",
  marketReader: "the lease of the run that reads markets",
  chainMarketReader: "the lease of the run that reads only the markets of that chain",
  heldTokens: "tokens that users hold, which a run passes to the next one, kept for ten minutes",
  market: "a token whose market is read, with its pools and its last price",
  marketIndex: "the tokens of the chain that a search finds: one item",
  newTokens: "the pools of the last day, and looks at their tokens: one item",
  newTokensTurn: "when the next request may read new pools",
  minutes: "the candles of ten minutes",
  hours: "the candles of a day, an hour each",
  days: "the candles of a year, a day each",
  marketLooks: "how often the user has made the service look at a market in a minute",
  marketHistories: "how many histories of tokens were read for the user in a day",
  prices: "the latest prices, and the run that saves them: one item",
};

/** Notes on partitions: why the items have a partition of their own, or a warning. */
export const partitionNotes: Readonly<Partial<Record<PartitionName, string>>> = {
  SETTINGS:
    "Partitions are small because rights are given by partition: few functions may change what an order " +
    "depends on.",
  PRESETS:
    "Presets are kept apart from settings, because they say what is bought while nobody looks. setPreset " +
    "alone writes them.",
  SEALED:
    "A key is written and removed together with its wallet, in the same transactions and by the same " +
    "time to live.",
  DEVICES:
    "Kept apart from addresses, so that functions that list or publish devices never see one. Lists of devices may be " +
    "read by few functions, too.",
  DEVICEKEYS: "Who has an address and its keys could forge notices. Only notifyOwner reads them.",
  PUSHKEY: "Operators write it, with `admin make-push-key`, which keeps the private part in SSM.",
  USEDKEYS: "Nothing deletes a used key: a repeated request would then take effect a second time.",
  POLICY:
    "Policies are keyed by address, so that they outlive the wallet. Only loosenGuards writes them, so " +
    "none becomes looser unannounced.",
  GUARDS: "Guards are kept apart from policies, because only sort keys decide which changes are published.",
  LOCK:
    "Any item here locks exports, even an unreadable one. Only sealExport can end a lock, with an item " +
    "of its own.",
  UNLOCK: "Requests to unlock are kept apart from locks, so that the function that locks cannot make one.",
  TRADES:
    "Orders and positions are deleted a week after their end. Lists keep those that were placed here. " +
    "Data that clients may not see, such as signed transactions, is in `TRADE#` and in the lane. Each " +
    "step of an order writes all of these items in one transaction.",
  RESTING: "Prices of resting orders are worth stealing, so few functions may read them.",
  TRIGGERS:
    "A second list of all that rests, in eight parts for each chain, so that one query finds what may fire. " +
    "It decides nothing: `admin rebuild-triggers` makes it from `RESTING#`.",
  PROGRAMKEYS:
    "Only createKey and deleteKey write them. A restored key could be a revoked one, so a restored table has " +
    "none.",
  USEDTOKENS: "Only the authorizers write here, so no other function can let a token be used twice.",
  LANES: "Each step of an order checks its lane, so the lanes of a chain are spread over several partitions.",
  HELD: "Lists open positions by chain, so that no function has to scan the table for them.",
  SIGNED:
    "Ledgers are kept for good: without its ledger, an order that turns up again could be signed a " +
    "second time.",
  BYTES: "Anybody who has the bytes of a transaction can send them, so they are kept apart from slots.",
  CANCELLED:
    "A cancellation is recorded before the order is read, so nothing in orders or lanes can prevent it. " +
    "Nothing here expires: an order that rests may live for months.",
  TRADING: "Each order reads its partition five times, so the chains do not share one.",
  REWARD:
    "The stock is not in the catalogue: each sale would write up to 400 KB, and replacing the catalogue " +
    "would restore the stock that was sold meanwhile.",
  POINTS: "Lines are numbered without gaps, so that a lost line is noticed.",
  EARNED:
    "All rows of a user are in one of eight partitions. A row costs two write units of 1 KB with its order's last " +
    "step, and its credit costs as much again. A restored row could be credited twice.",
  LEADERBOARD:
    "Rows are sorted by XP, so that a leaderboard is the first page of its partition. Profiles decide: each change of " +
    "a profile that a row shows replaces the row in the same transaction.",
  MARKETNEWS:
    "News is spread like the connections that cause it, and sorted by time, so that the reader of markets " +
    "reads only new items.",
  MARKETS: "The tokens of a chain are spread over four partitions by a hash of their addresses.",
  NEWTOKENS: "The turn is kept apart from the list, because each turn is taken by a write.",
  MARKET: "The coin's price in dollars is stored like a token named `native`.",
  FALLBACKKEYS:
    "Authorizers read the record at most once a minute. It contains no values of keys: they compute them.",
};
