import type { OperationName } from "../../operations/operations.ts";

/** List prices of us-east-1 in dollars, without free tiers. A month has 30 days. */
export const prices = {
  asOf: "2026-11-21",
  region: "us-east-1",
  perMillion: {
    restRequests: 3.5,
    /** Messages sent or received, in steps of 32 KB. */
    streamMessages: 1,
    connectionMinutes: 0.25,
    /** Requests at the edge. The 10 million free requests of each month are ignored. */
    edgeRequests: 1,
    firewallRequests: 0.6,
    functionRuns: 0.2,
    /** Consistent reads of up to 4 KB each. */
    reads: 0.125,
    /** Writes of up to 1 KB each. In a transaction, each item takes two. */
    writes: 0.625,
    keyCalls: 3,
    /** Key agreements on elliptic curves. */
    keyAgreements: 15,
  },
  /** Run time of functions on arm64. */
  gigabyteSecond: 0.0000133334,
  logGigabyte: 0.5,
  /** Traffic from the edge in North America and Europe. */
  edgeGigabyte: 0.085,
  monthly: {
    alarmMetric: 0.1,
    dashboard: 3,
    secret: 0.4,
    /** Price of a web ACL with two rules at $1 each. */
    webAcl: 7,
    /** Price of an endpoint's address, at $0.01 an hour. */
    endpointAddress: 7.2,
    key: 1,
    metric: 0.3,
    storedGigabyte: 0.25,
    backedUpGigabyte: 0.2,
    storedLogGigabyte: 0.03,
    poolUser: 0.015,
  },
} as const;

/** Usage of one run of a function: its billed time and its calls to other services. Times are estimates. */
export type Run = {
  ms: number;
  reads?: number;
  writes?: number;
  keyCalls?: number;
  /** Calls to KMS for key agreement. */
  keyAgreements?: number;
  /** Messages that the function itself pushes. */
  pushes?: number;
  /** True if publishChanges then pushes a change to the user, who is assumed to have one connection. */
  publishes?: boolean;
};

/**
 * Write units of a buy, counted by test/trading/execution/real-chain.table.test.ts. A transaction takes two per started
 * kilobyte of each item that it writes or checks, and a single write takes one. Runs of executeOrders differ by what
 * has happened to the order.
 */
export const writesOfBuy = {
  placeOrder: 18,
  executeOrders: { swap: 21, fill: 23, nothingNew: 2, end: 31 },
  signTransaction: 18,
} as const;

/**
 * Write units of a buy on sol, and its calls to two hosts, counted by test/trading/execution/sol-usage.table.test.ts.
 * Each call is a separate request.
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
 * Usage of each function. An authorizer reads nothing if its process has seen the user within a minute. With many
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
  // Reads the public keys once, and then keeps them in memory.
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
  // Counts one minute of a run, which writes every two seconds and looks for subscribers.
  feedPrices: { ms: 60_000, reads: 16, writes: 30 },
  creditReferrals: { ms: 50, reads: 1 },
  mirrorPlans: { ms: 1000, writes: 6 },
  deleteRetiredKeys: { ms: 50, reads: 1 },
  freeIdleKeys: { ms: 1000, reads: 2 },
  // Counts a run that finds all keys present. Only the first run creates them, which takes minutes.
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
  // Counts a run that sends a transaction. Other runs are listed below.
  executeOrders: { ms: 1000, reads: 20, writes: writesOfBuy.executeOrders.swap },
  signTransaction: { ms: 60, reads: 9, writes: writesOfBuy.signTransaction, keyCalls: 2 },
  // Counts one minute of the long run on four chains, and the short run that starts each minute, finds the long one
  // alive, and ends.
  readChains: { ms: 60_100, reads: 424, writes: 120 },
  // Counts a run that asks two hosts per chain.
  sweepLanes: { ms: 300, reads: 12 },
  refuseTrading: { ms: 5 },
  // Counts a run that asks a host, which happens if the stored market is older than 15 seconds.
  getMarket: { ms: 200, reads: 3, writes: 1 },
  listCandles: { ms: 60, reads: 16 },
  // Counts one minute of a run on four chains, but not its tokens. Each second, it reads newly requested tokens and
  // prices of coins, and each minute its followers. It writes a heartbeat every two seconds, and a minute candle of
  // each coin.
  readMarkets: { ms: 60_000, reads: 125, writes: 34 },
  // Stores the minute candles of a day, ten to an item, and its hour and day candles.
  loadHistory: { ms: 10_000, reads: 60, writes: 200 },
  refuseMarkets: { ms: 5 },
};

/** Usage of scheduled runs that find nothing to do, if it differs from the usual usage. */
export const idleRuns: Partial<Record<OperationName, Run>> = {
  // Reads the leases of four chains, and both lists of lanes of each chain.
  readChains: { ms: 100, reads: 12 },
  loosenGuards: { ms: 20, reads: 1 },
};

/** Number per minute of runs of readMarkets that publishChanges starts although another run is alive. */
export const needlessReaders: { count: number; run: Run } = { count: 2, run: { ms: 100, reads: 1 } };

/**
 * Calls to the table per minute for each followed and traded token: its minute candle, and its market every five
 * minutes.
 */
export const readToken = { reads: 0.1, writes: 2 };

/** Assumed usage per user and month. */
export const usage = {
  /** Hours with a connection that follows prices. */
  hours: 20,
  requests: 2000,
  /** Buys on base, if trading is on. */
  orders: 20,
};

/** Tokens that are followed at all times as soon as there are users, if markets are on. */
export const followedTokens = 20;

/** Runs of a function for an order. By default, each has the function's usual usage. */
export type OrderRuns = { name: OperationName; purpose?: string; count: number; run?: Run };

const { fill, nothingNew, end } = writesOfBuy.executeOrders;

/**
 * Runs for a buy on base from placing until its outcome is final. Each change that the user sees adds a run of
 * publishChanges.
 */
export const runsOfBuy: readonly OrderRuns[] = [
  { name: "placeOrder", count: 1 },
  { name: "executeOrders", purpose: "the swap", count: 1 },
  { name: "executeOrders", purpose: "the fill", count: 1, run: { ms: 400, reads: 20, writes: fill } },
  { name: "executeOrders", purpose: "the end", count: 1, run: { ms: 400, reads: 20, writes: end } },
  { name: "signTransaction", count: 1 },
  { name: "publishChanges", count: 4 },
];

/** Runs for a buy on sol, with their calls to hosts. Durations and reads were not counted. */
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

/** A run of executeOrders for a waiting order that finds nothing new. */
export const runWithoutNews: OrderRuns = {
  name: "executeOrders",
  count: 1,
  run: { ms: 400, reads: 20, writes: nothingNew },
};

/** Additional runs for a sale if the router first needs an approval. */
export const runsOfApproval: readonly OrderRuns[] = [
  { name: "executeOrders", count: 1 },
  { name: "signTransaction", count: 1 },
  { name: "publishChanges", count: 1 },
];

/**
 * Size in bytes of a lane while its order waits for finality. Each time readChains looks at a chain, it reads all of
 * the chain's lanes.
 */
export const laneBytes = 350;

/** Processor time of deliver per client, from docs/benchmarks.md. */
export const deliveryMs = 0.25;

/** Size in bytes of a message with the prices of five coins. */
export const priceMessageBytes = 687;

/** Size in bytes of a subscriber's item, which deliver reads for each message. */
export const subscriberBytes = 132;

/** Log volume of a request in kilobytes: the access log and the function's log. */
export const logKilobytes = 1;
