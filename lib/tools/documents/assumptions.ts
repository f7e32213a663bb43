import { unitsOfCalls } from "../../chains/hosts/spent-units.ts";
import type { OperationName } from "../../operations/operations.ts";

/** A figure, its meaning, and its source. */
type Figure = readonly [value: number, meaning: string, source: string];

/** Use by one user. docs/costs.md and docs/scale.md assume nothing else about users. */
export const user = {
  hours: [20, "Hours a month with a connection", "assumed"],
  connected: [0.1, "Part of users connected at the peak", "assumed"],
  requests: [6, "Requests a minute while connected, without quotes", "assumed"],
  charts: [1, "Of these, for the candles of a token", "assumed"],
  quotes: [
    1,
    "Quotes a minute while connected: every tenth user has a form open, which takes ten",
    "assumed, and `npm run bench:quotes`",
  ],
  orders: [3, "Buys a day", "assumed"],
  peak: [10, "Buys at the peak, times the mean", "assumed"],
  onBase: [0.5, "Part of users and buys on base, the busiest chain", "assumed"],
  connection: [2, "Hours until a connection ends", "assumed"],
  pings: [1, "Pings a minute of a connection", "assumed"],
  tokens: [20, "Tokens that a connection follows, where markets are on, with a message a second", "assumed"],
  ownTokens: [0.5, "Part of these that nobody else follows", "assumed"],
  newTokens: [5, "Tokens a month that nobody has followed before", "assumed"],
} as const satisfies Record<string, Figure>;

const [watch, markets] = ["`npm run bench:watch`", "`npm run bench:markets`"];

/** Measured and estimated sizes, times and calls. All chains count as base, on which hosts cost the most. */
export const measured = {
  buyUnits: [2451, "Units of hosts for a buy, until its block is final", watch],
  lookUnits: [39.2, "Of these, its share of the looks at the chain", watch],
  quoteUnits: [396, "Units of hosts for a quote", "`npm run bench:quotes`"],
  watched: [1000, "Buys that waited on the chain meanwhile", watch],
  life: [1392, "Seconds until the block of a buy is final", watch],
  marketUnits: [176, "Units of hosts a second for markets of a chain, with swaps in each second", markets],
  marketTokens: [40, "Tokens that were followed meanwhile", markets],
  newPoolUnits: [
    545,
    "Units of hosts for a turn of new pools that looks at a token",
    "`test/markets/evm/read-new-pools.socket.test.ts`",
  ],
  newPoolMs: [1500, "Milliseconds of a turn of new pools", "estimate"],
  newPoolWrites: [90, "Write units of a turn of new pools, for up to 200 pools", "estimate"],
  poolAccounts: [3, "Accounts of a pool on sol", "`lib/markets/sol/venues.ts`"],
  tokenBytes: [2900, "Bytes of a message with tokens", markets],
  followers: [
    25_000,
    "Most connections with which a run of readMarkets was measured",
    `${markets} -- --reader`,
  ],
  deliverMs: [0.25, "Milliseconds of deliver for a message", "`npm run bench:fanout`, rounded up"],
  deliverRunMs: [10, "Milliseconds of a run of deliver, without its messages", "estimate"],
  authorizerMs: [15, "Milliseconds of an authorizer", "estimate"],
  requestMs: [30, "Milliseconds of a request such as listWallets, which reads one unit", "estimate"],
  quoteMs: [400, "Milliseconds of a quote", "estimate"],
  quoteReads: [4, "Read units of a quote", "estimate"],
  buyReads: [80, "Read units of a buy", "estimate"],
  buyKeyCalls: [3, "Calls of a buy to KMS", "estimate"],
  changes: [4, "Changes of a buy that its user sees", "estimate"],
  firingUnits: [
    3270,
    "Units of hosts for a limit that fires, until its block is final",
    "`npm run bench:triggers`",
  ],
  firingReads: [240, "Read units of a limit that fires", "estimate"],
  firingKeyCalls: [4, "KMS calls of a limit that fires", "estimate"],
  publishMs: [20, "Milliseconds of publishChanges for a change", "estimate"],
  feedReads: [16, "Read units of feedPrices in a minute", "estimate"],
  feedWrites: [30, "Write units of feedPrices in a minute", "estimate"],
  chainReads: [424, "Read units of readChains in a minute, for four chains without lanes", "estimate"],
  chainWrites: [120, "Write units of readChains in a minute", "estimate"],
  // Counts the news of four shards and the prices, each second, and reads of the number of shards and of their
  // followers.
  marketReads: [310, "Read units of readMarkets in a minute, without those of its followers", "estimate"],
  marketWrites: [34, "Write units of readMarkets in a minute, without those of tokens", "estimate"],
  tokenWrites: [2, "Write units of a followed token in a minute", "estimate"],
  historySeconds: [10, "Seconds of loadHistory for a new token", "estimate"],
  historyWrites: [200, "Write units of loadHistory for a new token", "estimate"],
  laneMs: [0.003, "Milliseconds of readChains for a waiting lane, each second", "`npm run bench:lanes`"],
  laneBytes: [350, "Bytes of a lane with a waiting buy", "estimate"],
  laneWrites: [15, "Write units of a buy for its lane", "estimate"],
  stopReads: [5, "Times that a buy reads the stop of its chain", "estimate"],
  subscriberBytes: [
    132,
    "Bytes of a subscriber, which deliver reads for each message with coins",
    "estimate",
  ],
  followerBytes: [
    1200,
    "Bytes of a follower of 20 tokens, which deliver reads up to once a second",
    "estimate",
  ],
  coinBytes: [687, "Bytes of a message with the prices of five coins", "estimate"],
  logKilobytes: [1, "Kilobytes of logs for a request", "estimate"],
} as const satisfies Record<string, Figure>;

const gateway = "https://docs.aws.amazon.com/apigateway/latest/developerguide";
const dynamo = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide";
const lambda = "https://docs.aws.amazon.com/lambda/latest/dg";

/** Limits outside of this code, for each second where they are rates. */
export const quotas = {
  newRuns: [10, "Runs of functions at once in a new account", `[AWS](${lambda}/gettingstarted-limits.html)`],
  runs: [1000, "Runs of functions at once", `[AWS](${lambda}/gettingstarted-limits.html)`],
  processor: [1769, "Memory in MB with one processor", `[AWS](${lambda}/configuration-memory.html)`],
  connects: [
    500,
    "New connections",
    `[AWS](${gateway}/apigateway-execution-service-websocket-limits-table.html)`,
  ],
  newWrites: [4000, "Writes of a new table", `[AWS](${dynamo}/warm-throughput-scenarios.html)`],
  newReads: [12_000, "Reads of a new table", `[AWS](${dynamo}/warm-throughput-scenarios.html)`],
  table: [40_000, "Reads, and writes, of a table", `[AWS](${dynamo}/ServiceQuotas.html)`],
  partitionReads: [3000, "Reads of a partition", `[AWS](${dynamo}/bp-partition-key-design.html)`],
  partitionWrites: [1000, "Writes of a partition", `[AWS](${dynamo}/bp-partition-key-design.html)`],
  kms: [
    10_000,
    "Requests to KMS",
    "[AWS](https://docs.aws.amazon.com/kms/latest/developerguide/requests-per-second.html)",
  ],
  edge: [
    250_000,
    "Requests to a distribution",
    "[AWS](https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits.html)",
  ],
  hosts: [10_000, "Units of hosts, by a contract", "assumed"],
} as const satisfies Record<string, Figure>;

/** List prices of us-east-1 in dollars, without free tiers. A month has 30 days. */
export const prices = {
  asOf: "2026-11-21",
  region: "us-east-1",
  perMillion: {
    restRequests: 3.5,
    /** Messages sent or received, in steps of 32 KB. */
    streamMessages: 1,
    connectionMinutes: 0.25,
    edgeRequests: 1,
    functionRuns: 0.2,
    /** Consistent reads of up to 4 KB each. */
    reads: 0.125,
    /** Writes of up to 1 KB each. In a transaction, each item takes two. */
    writes: 0.625,
    keyCalls: 3,
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
    poolUser: 0.015,
  },
} as const;

/** A provider's prices for calls to its hosts, in units per call, whether or not the calls are batched. */
export const hostPrices = {
  provider: "Alchemy",
  source: "https://www.alchemy.com/docs/reference/compute-unit-costs",
  readOn: "2026-11-23",
  /** Assumed price in dollars. The real price depends on the plan. */
  perMillionUnits: 0.4,
  units: unitsOfCalls,
} as const;

/**
 * Write units of a buy, counted by test/trading/execution/real-chain.table.test.ts. A transaction takes two per started
 * kilobyte of each item that it writes or checks, and a single write takes one.
 */
export const writesOfBuy = {
  placeOrder: 24,
  executeOrders: { swap: 13, fill: 23, nothingNew: 2, end: 31 },
  signTransaction: 22,
} as const;

/** Write units of placeOrder for each exit of a buy, counted by the same test. */
export const writesOfExit = 10;

/**
 * Write units of a trade that earns, if its user is in the leaderboards and has a referrer: of its row, and of its
 * credit and that of the share, counted by test/rewards/credit-units.table.test.ts.
 */
export const writesOfCredit = { executeOrders: 2, creditTrades: 32 } as const;

/** Write units of a request's turn, which keeps others of its user from passing the limit, counted by the same test. */
export const writesOfTurn = 2;

/** Write units of a limit and of its child, until its buy is final, counted by the same test. */
export const writesOfLimit = {
  placeOrder: 18,
  fireOrders: { firing: 36, filled: 24 },
  executeOrders: 73,
  signTransaction: 30,
} as const;

const { placeOrder, signTransaction, executeOrders: steps } = writesOfBuy;

export const buyWrites = placeOrder + signTransaction + steps.swap + steps.fill + steps.end;

/** Write units of a buy on sol, and its calls to two hosts, counted by test/trading/execution/sol-usage.table.test.ts. */
export const solBuy = {
  placeOrder: { writes: 22, calls: 12 },
  executeOrders: {
    swap: { writes: 13, calls: 2 },
    waiting: { writes: 2, calls: 10 },
    end: { writes: 49, calls: 10 },
  },
  signTransaction: { writes: 24 },
} as const;

/** Functions that run for a buy on base, with their milliseconds, which are estimates. Each change is published. */
export const runsOfBuy: readonly (readonly [OperationName, number])[] = [
  ["authorize", 15],
  ["placeOrder", 400],
  // The announcement of an order, its run, and the queued run, which only looks.
  ["executeOrders", 10],
  ["executeOrders", 1000],
  ["executeOrders", 20],
  ["executeOrders", 400],
  ["executeOrders", 400],
  ["signTransaction", 2],
  ["signTransaction", 60],
];

/** Functions that run for a limit that fires, with their milliseconds, which are estimates. */
export const runsOfFiring: readonly (readonly [OperationName, number])[] = [
  // Fires it, finds it not filled yet, then filled, and then final.
  ["fireOrders", 1000],
  ["fireOrders", 300],
  ["fireOrders", 300],
  ["fireOrders", 300],
  // The runs of the child begin after the announcement of a buy.
  ...runsOfBuy.slice(3),
];

/** Scheduled runs while nobody uses the service: estimates of their milliseconds and reads. */
export const idleRuns: { readonly [Name in OperationName]?: readonly [ms: number, reads: number] } = {
  loosenGuards: [20, 1],
  creditReferrals: [50, 1],
  // Looks for rows in eight partitions.
  creditTrades: [50, 8],
  deleteRetiredKeys: [50, 1],
  freeIdleKeys: [1000, 2],
  makeFallbackKeys: [1000, 1],
  // Reads the leases of four chains, and both lists of lanes of each chain.
  readChains: [100, 12],
  // Reads its lease, and eight lists of triggers of each of five chains.
  watchTriggers: [100, 41],
  // Asks two hosts for each chain's newest block, and reads the lease of the watch over resting orders.
  sweepLanes: [300, 18],
};

/** Numbers of users on both pages. */
export const sizes = [100, 10_000, 1_000_000] as const;

type Figures = typeof user & typeof measured & typeof quotas;

/** All figures without their meanings. */
export const figures = Object.fromEntries(
  Object.entries({ ...user, ...measured, ...quotas }).map(([name, [value]]) => [name, value]),
) as { readonly [Name in keyof Figures]: number };
