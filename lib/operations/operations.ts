/**
 * THE TABLE: one row per function. Functions, routes, IAM grants, environment, alarms, the API documents and
 * docs/functions.md are derived from it, in that one direction. A row's name is its folder in functions/.
 */

import { planRows } from "./plan-rows.ts";
import { rewardRows } from "./reward-rows.ts";
import { tradingRows } from "./trading-rows.ts";
import type { Defaults, DefaultsOfKinds, Operation, RestMethod, Row } from "./types.ts";
import { userRows } from "./user-rows.ts";
import { walletRows } from "./wallet-rows.ts";

/** What a row gets if it does not say otherwise: no rights, no configuration, and enough for one small request. */
const defaults = {
  deployed: "always",
  table: [],
  owns: [],
  writes: "all that are open",
  key: [],
  importKeys: [],
  mac: [],
  opensWallets: false,
  connections: [],
  invokes: [],
  notices: false,
  plans: [],
  env: [],
  memoryMB: 512,
  timeoutSeconds: 10,
} satisfies Defaults;

const answers = { errors: { client: "envelope", server: "envelope" }, env: ["ALLOWED_ORIGINS"] } as const;

const defaultsOfKinds: DefaultsOfKinds = {
  rest: answers,
  refusal: answers,
  schedule: { runs: "always", env: [] },
};

/** By which both authorizers know the edge. */
const originEnv = ["ORIGIN_KEY", "EDGE_ONLY"] as const;

const rows = {
  authorize: {
    kind: "authorizer",
    of: "rest",
    summary: "Identify the caller of the REST API and admit them",
    table: ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
    env: ["ISSUER", "AUDIENCE", "JWKS_URI", "COOKIE_NAME", ...originEnv, "FALLBACK_KEY", "PLAN_STAGES"],
    impact: "Nobody can use the service: requests with a valid token get a 500.",
  },
  ...walletRows,
  ...userRows,
  ...rewardRows,
  authorizeConnection: {
    kind: "authorizer",
    of: "websocket",
    summary: "Identify the client of a new connection and admit them",
    table: ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
    env: [
      "ISSUER",
      "AUDIENCE",
      "JWKS_URI",
      "COOKIE_NAME",
      ...originEnv,
      "ALLOWED_ORIGINS",
      "FALLBACK_KEY",
      "PLAN_STAGES",
    ],
    impact: "Nobody can connect to the stream. Open connections are not affected.",
  },
  connect: {
    kind: "websocket",
    route: "$connect",
    summary: "Register a new connection, up to the limit per user",
    table: ["dynamodb:Query", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"],
    connections: ["GET"],
    env: ["CHANNEL_SHARDS", "CONNECTIONS_PER_USER"],
    impact: "Nobody can connect to the stream. Open connections are not affected.",
  },
  disconnect: {
    kind: "websocket",
    route: "$disconnect",
    summary: "Remove a connection and its subscriptions",
    table: ["dynamodb:DeleteItem"],
    impact: "Closed connections stay registered until the next push to them. Users notice nothing.",
  },
  subscribe: {
    kind: "websocket",
    route: "subscribe",
    pushesReplies: true,
    summary: "Subscribe a connection to channels and send their snapshots",
    table: ["dynamodb:GetItem", "dynamodb:Query", "dynamodb:PutItem", "dynamodb:UpdateItem"],
    connections: ["POST", "DELETE"],
    // For traders with tens of thousands of orders. API Gateway waits for 29 seconds.
    memoryMB: 1024,
    timeoutSeconds: 29,
    impact: "Users cannot subscribe to prices, orders and positions. Existing subscriptions continue.",
  },
  unsubscribe: {
    kind: "websocket",
    route: "unsubscribe",
    pushesReplies: true,
    summary: "Unsubscribe a connection from channels",
    table: ["dynamodb:GetItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"],
    connections: ["POST", "DELETE"],
    impact: "Users cannot unsubscribe, and keep receiving updates that they no longer want.",
  },
  ping: {
    kind: "websocket",
    route: "ping",
    summary: "Answer a ping, which keeps a quiet connection open",
    connections: ["POST", "DELETE"],
    memoryMB: 256,
    impact: "Quiet connections close after ten minutes, and clients have to reconnect.",
  },
  unknownMessage: {
    kind: "websocket",
    route: "$default",
    summary: "Explain what is wrong with a message of unknown type",
    connections: ["POST", "DELETE"],
    memoryMB: 256,
    impact: "Clients that send a malformed message get no explanation.",
  },
  publishChanges: {
    kind: "changes",
    changes: "published items",
    summary: "Push changed settings, wallets, exports, trades, purchases and prices",
    table: ["dynamodb:Query", "dynamodb:UpdateItem", "dynamodb:DeleteItem"],
    connections: ["POST", "DELETE"],
    invokes: ["deliver", "catchUp"],
    notices: true,
    env: ["CHANNEL_SHARDS", "NOTICE_BUS_ARN"],
    memoryMB: 1024,
    timeoutSeconds: 30,
    impact: "Connected clients get changes late or not at all. What they read over HTTP is correct.",
  },
  deliver: {
    kind: "internal",
    summary: "Push a message to one shard of a channel's subscribers",
    table: ["dynamodb:GetItem", "dynamodb:Query", "dynamodb:UpdateItem", "dynamodb:DeleteItem"],
    connections: ["POST", "DELETE"],
    memoryMB: 1769,
    timeoutSeconds: 30,
    impact: "Subscribers do not receive prices. A new price is sent every second.",
  },
  catchUp: {
    kind: "internal",
    summary: "Bring connections that have missed messages up to date",
    table: ["dynamodb:Query", "dynamodb:UpdateItem", "dynamodb:DeleteItem"],
    connections: ["POST"],
    memoryMB: 1024,
    timeoutSeconds: 30,
    impact:
      "Clients that missed a change of settings, wallets, orders or positions stay out of date until they reconnect.",
  },
  recordExecutions: {
    kind: "internal",
    summary: "Record orders and positions for an execution engine",
    table: ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:DeleteItem"],
    writes: ["TRADES"],
    timeoutSeconds: 30,
    impact: "Execution engines cannot record orders and positions, and users do not see them.",
  },
  feedPrices: {
    kind: "schedule",
    everyMinutes: 1,
    runs: "with price feeds",
    summary: "Follow the venues' price feeds and keep the latest prices",
    table: ["dynamodb:UpdateItem"],
    env: ["PRICE_FEEDS"],
    memoryMB: 256,
    timeoutSeconds: 150,
    impact: "Prices stop updating. Each price carries its own timestamp.",
  },
  creditReferrals: {
    kind: "schedule",
    everyMinutes: 1,
    summary: "Credit the referrers whom a sign-up could not credit",
    table: ["dynamodb:Query", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"],
    // Shorter than the interval, so that runs do not overlap.
    timeoutSeconds: 50,
    impact: "Some users are credited late for those whom they referred. No credit is lost.",
  },
  ...planRows,
  ...tradingRows,
} as const satisfies Record<string, Row>;

export type OperationName = keyof typeof rows;

type NamesOf<Kind extends Operation["kind"]> = {
  [Name in OperationName]: (typeof rows)[Name]["kind"] extends Kind ? Name : never;
}[OperationName];

export type RestOperationName = NamesOf<"rest">;

export type RefusalOperationName = NamesOf<"refusal">;

export type WebSocketOperationName = NamesOf<"websocket">;

/** The functions that no client waits for. */
export type BackgroundOperationName = NamesOf<"changes" | "schedule" | "internal">;

type OperationOf<Name extends OperationName> = Extract<Operation, { kind: (typeof rows)[Name]["kind"] }>;

/** THE TABLE with its defaults filled in. */
export const operations = Object.fromEntries(
  Object.entries<Row>(rows).map(([name, row]) => [name, withDefaults(row)]),
) as { [Name in OperationName]: OperationOf<Name> };

function withDefaults(row: Row): Operation {
  const ofKind =
    row.kind in defaultsOfKinds ? defaultsOfKinds[row.kind as keyof DefaultsOfKinds] : { env: [] };
  const env = [...ofKind.env, ...(row.env ?? [])];
  return { ...defaults, ...ofKind, ...row, env } as Operation;
}

/** The rows of one kind, by name, in the order of THE TABLE. */
export function operationsOf<Kind extends Operation["kind"]>(kind: Kind) {
  return Object.entries<Operation>(operations).filter(
    (row): row is [NamesOf<Kind>, Extract<Operation, { kind: Kind }>] => row[1].kind === kind,
  );
}

/** All methods of the REST API, each with its row's name. */
export const restMethods: readonly (RestMethod & { name: RestOperationName })[] = operationsOf("rest").map(
  ([name, { method, path }]) => ({ name, method, path }),
);
