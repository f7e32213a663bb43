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
type Run = {
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

/** The usage of each function. Authorizers remember a user for a minute, so most of their runs read nothing. */
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
  setWalletPolicy: { ms: 40, reads: 2, writes: 6 },
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
  // Runs for the whole minute, with a write in each second.
  feedPrices: { ms: 60_000, writes: 60 },
  creditReferrals: { ms: 50, reads: 1 },
  mirrorPlans: { ms: 1000, writes: 6 },
  deleteRetiredKeys: { ms: 50, reads: 1 },
  freeIdleKeys: { ms: 1000, reads: 2 },
  listTokens: { ms: 5 },
  inspectToken: { ms: 400 },
  readBalances: { ms: 200, reads: 4 },
  quoteOrder: { ms: 400, reads: 4 },
  placeOrder: { ms: 400, reads: 6, writes: 16, keyCalls: 1, publishes: true },
  cancelOrder: { ms: 40, reads: 4, writes: 8, publishes: true },
  listOrders: { ms: 40, reads: 10 },
  getOrder: { ms: 40, reads: 4 },
  listPositions: { ms: 40, reads: 10 },
  // Executes a buy until its transaction. It is woken twice more until the outcome is final.
  executeOrders: { ms: 1000, reads: 20, writes: 40 },
  signTransaction: { ms: 60, reads: 9, writes: 18, keyCalls: 2 },
  // Runs for the whole minute on four chains, and reads each of them every second.
  // One run works all the time, here on four chains, and each minute another one finds that it is not needed.
  readChains: { ms: 60_100, reads: 424, writes: 120 },
  sweepLanes: { ms: 50, reads: 12 },
  refuseTrading: { ms: 5 },
};

/** The runs for an order from its placing until its outcome is final, with one for each change shown to its user. */
export const runsOfBuy = { placeOrder: 1, executeOrders: 3, signTransaction: 1, publishChanges: 4 } as const;

/** The additional runs for a sale if the router needs an approval first. */
export const runsOfApproval = { executeOrders: 1, signTransaction: 1, publishChanges: 1 } as const;

/** Processor time of deliver for each client, from docs/benchmarks.md. */
export const deliveryMs = 0.25;

/** Log volume of a request: the access log and the function's log. */
export const logKilobytes = 1;
