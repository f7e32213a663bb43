import type { OperationName } from "../../operations/operations.ts";

/** List prices of us-east-1 in dollars, without free tiers. A month has 30 days. */
export const prices = {
  asOf: "2026-11-21",
  region: "us-east-1",
  perMillion: {
    restRequests: 3.5,
    /** Sent or received messages, in steps of 32 KB. */
    streamMessages: 1,
    connectionMinutes: 0.25,
    /** Requests at the edge, without the 10 million that are free each month. */
    edgeRequests: 1,
    firewallRequests: 0.6,
    functionRuns: 0.2,
    /** Consistent reads of up to 4 KB. */
    reads: 0.125,
    /** Writes of up to 1 KB. A transaction takes two for each item. */
    writes: 0.625,
    keyCalls: 3,
    /** Key agreements on elliptic curves. */
    keyAgreements: 15,
  },
  /** On arm64. */
  gigabyteSecond: 0.0000133334,
  logGigabyte: 0.5,
  /** Traffic of the edge in North America and Europe. */
  edgeGigabyte: 0.085,
  monthly: {
    alarmMetric: 0.1,
    dashboard: 3,
    secret: 0.4,
    /** With two rules at $1 each. */
    webAcl: 7,
    /** $0.01 an hour. */
    endpointAddress: 7.2,
    key: 1,
    metric: 0.3,
    storedGigabyte: 0.25,
    backedUpGigabyte: 0.2,
    storedLogGigabyte: 0.03,
    poolUser: 0.015,
  },
} as const;

/** The usage of one run of a function: its billed time, and its calls to other services. The times are estimates. */
export type Run = {
  ms: number;
  reads?: number;
  writes?: number;
  keyCalls?: number;
  /** Calls to KMS for key agreement. */
  keyAgreements?: number;
  /** Messages that it pushes itself. */
  pushes?: number;
  /** True if publishChanges then pushes a change to the user, here on one connection. */
  publishes?: boolean;
};

/**
 * The write units of a buy, counted by test/trading/execution/real-chain.table.test.ts: two for each started kilobyte of an
 * item that a transaction writes or checks, one in a single write. Runs of executeOrders differ by what is new for the order.
 */
export const writesOfBuy = {
  placeOrder: 18,
  executeOrders: { swap: 21, fill: 23, nothingNew: 2, end: 31 },
  signTransaction: 18,
} as const;

/**
 * The write units of a buy on sol, and its calls to two hosts, counted by test/trading/execution/sol-usage.table.test.ts.
 * Each call is a request of its own.
 */
export const solBuy = {
  placeOrder: { writes: 18, calls: 18 },
  executeOrders: {
    swap: { writes: 13, calls: 24 },
    fill: { writes: 21, calls: 14 },
    nothingNew: { writes: 2, calls: 14 },
    end: { writes: 29, calls: 14 },
  },
  signTransaction: { writes: 20 },
} as const;

/**
 * The usage of each function. Runs of authorizers read nothing if their process has met the user within a minute. With many
 * processes, most runs read once.
 */
export const runs: Record<OperationName, Run> = {
  authorize: { ms: 15 },
  storeWallet: { ms: 30, reads: 2, writes: 8, keyCalls: 1 },
  listWallets: { ms: 30, reads: 1 },
  startSession: { ms: 5 },
  endSession: { ms: 5 },
  updateTradingSettings: { ms: 30, writes: 1, publishes: true },
  getTradingSettings: { ms: 20, reads: 1 },
  getUserData: { ms: 30, reads: 1 },
  listRewards: { ms: 30, reads: 3 },
  redeemReward: { ms: 40, reads: 3, writes: 10, publishes: true },
  listRedemptions: { ms: 30, reads: 2 },
  listWalletsV2: { ms: 30, reads: 1 },
  // Reads the public keys once and keeps them.
  listImportKeys: { ms: 5 },
  getWalletPolicy: { ms: 30, reads: 2 },
  setWalletPolicy: { ms: 100, reads: 1 },
  loosenGuards: { ms: 50, reads: 3, writes: 10, publishes: true },
  exportWallet: { ms: 100, reads: 3, writes: 4 },
  lockExports: { ms: 20, writes: 1, publishes: true },
  unlockExports: { ms: 80, reads: 2, writes: 1 },
  getExportLock: { ms: 20, reads: 2 },
  cancelExport: { ms: 60, reads: 1, writes: 1 },
  sealExport: { ms: 80, reads: 7, writes: 12, keyCalls: 1, publishes: true },
  refuseExport: { ms: 5 },
  importWallet: { ms: 60, reads: 4, writes: 10, keyCalls: 1, keyAgreements: 1, publishes: true },
  createWallet: { ms: 40, reads: 3, writes: 10, keyCalls: 1, publishes: true },
  retireWallet: { ms: 40, reads: 4, writes: 8, publishes: true },
  restoreWallet: { ms: 30, reads: 2, writes: 8, publishes: true },
  listWalletEvents: { ms: 30, reads: 1 },
  updateWallet: { ms: 30, reads: 1, writes: 4, publishes: true },
  authorizeConnection: { ms: 15 },
  connect: { ms: 30, reads: 1, writes: 2 },
  disconnect: { ms: 30, writes: 1 },
  subscribe: { ms: 30, reads: 3, writes: 4, pushes: 2 },
  unsubscribe: { ms: 30, reads: 1, writes: 4, pushes: 1 },
  ping: { ms: 10, pushes: 1 },
  unknownMessage: { ms: 10, pushes: 1 },
  publishChanges: { ms: 20 },
  deliver: { ms: 10, reads: 1 },
  catchUp: { ms: 50, reads: 2 },
  recordExecutions: { ms: 30, reads: 1, writes: 4, publishes: true },
  // A minute of a run, with a write in every second second, and looks for subscribers.
  feedPrices: { ms: 60_000, reads: 16, writes: 30 },
  creditReferrals: { ms: 50, reads: 1 },
  mirrorPlans: { ms: 1000, writes: 6 },
  deleteRetiredKeys: { ms: 50, reads: 1 },
  freeIdleKeys: { ms: 1000, reads: 2 },
  // Looks at the keys that exist. Making them takes minutes, once.
  makeFallbackKeys: { ms: 1000, reads: 1 },
  listTokens: { ms: 5 },
  inspectToken: { ms: 400 },
  readBalances: { ms: 200, reads: 4 },
  quoteOrder: { ms: 400, reads: 4 },
  placeOrder: { ms: 400, reads: 6, writes: writesOfBuy.placeOrder, keyCalls: 1, publishes: true },
  cancelOrder: { ms: 40, reads: 4, writes: 7, publishes: true },
  listOrders: { ms: 40, reads: 10 },
  getOrder: { ms: 40, reads: 4 },
  listPositions: { ms: 40, reads: 10 },
  // Sends a transaction. Runs that send none are below.
  executeOrders: { ms: 1000, reads: 20, writes: writesOfBuy.executeOrders.swap },
  signTransaction: { ms: 60, reads: 9, writes: writesOfBuy.signTransaction, keyCalls: 2 },
  // One run works all the time, here on four chains, and each minute another one finds that it is not needed.
  readChains: { ms: 60_100, reads: 424, writes: 120 },
  // Asks two hosts of each chain.
  sweepLanes: { ms: 300, reads: 12 },
  refuseTrading: { ms: 5 },
  // Asks a host if the stored market is older than 15 seconds.
  getMarket: { ms: 200, reads: 3, writes: 1 },
  listCandles: { ms: 60, reads: 16 },
  // A minute of a run on four chains, without its tokens: it reads news and the prices of coins each second and its followers
  // once, and writes heartbeats each two seconds and a minute of each coin.
  readMarkets: { ms: 60_000, reads: 125, writes: 34 },
  // Stores a day of minutes, by ten in an item, its hours and its days.
  loadHistory: { ms: 10_000, reads: 60, writes: 200 },
  refuseMarkets: { ms: 5 },
};

/** The usage of a scheduled run that finds nothing to do, where it differs. */
export const idleRuns: Partial<Record<OperationName, Run>> = {
  // Reads the lease and both lists of lanes of each of four chains.
  readChains: { ms: 100, reads: 12 },
  loosenGuards: { ms: 20, reads: 1 },
};

/** The runs of readMarkets in a minute that publishChanges starts, and that find another one alive. */
export const needlessReaders: { count: number; run: Run } = { count: 2, run: { ms: 100, reads: 1 } };

/** The calls to the table for each token that is read and traded, in a minute: its minute, and its row each five minutes. */
export const readToken = { reads: 0.1, writes: 2 };

/** The assumed usage of a user in a month. */
export const usage = {
  /** Hours with a connection that subscribes to prices. */
  hours: 20,
  requests: 2000,
  /** Buys on base, where trading is on. */
  orders: 20,
};

/** The tokens that somebody follows at all times as soon as there are users, where markets are on. */
export const followedTokens = 20;

/** Runs of a function for an order. Without other usage, they have that of the function. */
export type OrderRuns = { name: OperationName; purpose?: string; count: number; run?: Run };

const { fill, nothingNew, end } = writesOfBuy.executeOrders;

/** The runs for a buy on base from its placing until its outcome is final, with one for each change shown to its user. */
export const runsOfBuy: readonly OrderRuns[] = [
  { name: "placeOrder", count: 1 },
  { name: "executeOrders", purpose: "the swap", count: 1 },
  { name: "executeOrders", purpose: "the fill", count: 1, run: { ms: 400, reads: 20, writes: fill } },
  { name: "executeOrders", purpose: "the end", count: 1, run: { ms: 400, reads: 20, writes: end } },
  { name: "signTransaction", count: 1 },
  { name: "publishChanges", count: 4 },
];

/** The same runs for a buy on sol, with their calls to hosts. Their durations and reads were not counted. */
export const runsOfSolBuy = [
  { name: "placeOrder", ...solBuy.placeOrder, onBase: writesOfBuy.placeOrder },
  ...(["swap", "fill", "end"] as const).map((purpose) => ({
    name: "executeOrders" as const,
    purpose: `the ${purpose}`,
    ...solBuy.executeOrders[purpose],
    onBase: writesOfBuy.executeOrders[purpose],
  })),
  { name: "signTransaction", ...solBuy.signTransaction, calls: 0, onBase: writesOfBuy.signTransaction },
] as const;

/** A run of executeOrders that finds nothing new, of an order that waits to be sent. */
export const runWithoutNews: OrderRuns = {
  name: "executeOrders",
  count: 1,
  run: { ms: 400, reads: 20, writes: nothingNew },
};

/** The additional runs for a sale if the router needs an approval first. */
export const runsOfApproval: readonly OrderRuns[] = [
  { name: "executeOrders", count: 1 },
  { name: "signTransaction", count: 1 },
  { name: "publishChanges", count: 1 },
];

/** The size of a lane while its order waits for finality. A reader reads all lanes of a chain for each look. */
export const laneBytes = 350;

/** Processor time of deliver for each client, from docs/benchmarks.md. */
export const deliveryMs = 0.25;

/** The size of a message with the prices of five coins. */
export const priceMessageBytes = 687;

/** The size of a subscriber's item, which deliver reads for each message. */
export const subscriberBytes = 132;

/** Log volume of a request: the access log and the function's log. */
export const logKilobytes = 1;
