/**
 * THE TABLE: one row per function. Functions, routes, IAM grants, environment, alarms, the API documents and
 * docs/functions.md are all derived from it. A row's name is its folder in functions/.
 */

import type { Scope } from "../core/scope.ts";
import { marketRows } from "./market-rows.ts";
import { noticeRows } from "./notice-rows.ts";
import { planRows } from "./plan-rows.ts";
import { realtimeRows } from "./realtime-rows.ts";
import { rewardRows } from "./reward-rows.ts";
import { tradingRows } from "./trading-rows.ts";
import type { Defaults, DefaultsOfKinds, Operation, RestMethod, Row } from "./types.ts";
import { userRows } from "./user-rows.ts";
import { walletRows } from "./wallet-rows.ts";

/** Defaults of every row: no rights, no configuration, and enough memory and time for one small request. */
const defaults = {
  deployed: "always",
  table: [],
  writes: [],
  deletes: [],
  reads: [],
  enforces: [],
  key: [],
  importKeys: [],
  mac: [],
  childMac: [],
  opensWallets: false,
  connections: [],
  invokes: [],
  notices: false,
  plans: [],
  keysOf: "users",
  env: [],
  memoryMB: 512,
  timeoutSeconds: 10,
} satisfies Defaults;

const answers = { env: ["ALLOWED_ORIGINS"] } as const;

const defaultsOfKinds: DefaultsOfKinds = {
  rest: answers,
  refusal: answers,
};

/** Variables for both authorizers to find and verify tokens. */
const tokenEnv = [
  "ISSUER",
  "AUDIENCE",
  "JWKS_URI",
  "MAX_TOKEN_SECONDS",
  "COOKIE_NAME",
  "BARE_COOKIE",
] as const;

/** Rights of both authorizers: they admit users, and verify the tokens of programs. */
const identifies = {
  table: ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
  writes: ["USER", "REFCODE", "REFERRALS", "USEDTOKENS"],
  reads: ["PROGRAMKEYS"],
} as const;

/** Variables for both authorizers to recognize requests from the edge. */
const originEnv = ["ORIGIN_KEYS", "EDGE_ONLY"] as const;

/**
 * Rows by subject. The functions of each subject are deployed in a stack of their own. Moving a row to another subject
 * replaces its function. Rows with usage plans are kept apart from methods, because the plans depend on the methods.
 */
const rowsOfSubjects = {
  wallets: walletRows,
  users: userRows,
  rewards: rewardRows,
  realtime: realtimeRows,
  notices: noticeRows,
  plans: planRows,
  trading: tradingRows,
  markets: marketRows,
};

export type Subject = keyof typeof rowsOfSubjects;

const rows = {
  authorize: {
    kind: "authorizer",
    of: "rest",
    summary: "Identify the caller of the REST API and admit them",
    ...identifies,
    env: [...tokenEnv, ...originEnv, "SCOPES", "SHARED_KEY", "PLAN_STAGES"],
    // Gives it a whole processor, because each order waits for it.
    memoryMB: 1769,
    impact: "Nobody can use the service: requests with a valid token get a 500.",
  },
  ...walletRows,
  ...userRows,
  ...rewardRows,
  authorizeConnection: {
    kind: "authorizer",
    of: "websocket",
    summary: "Identify the client of a new connection and admit them",
    ...identifies,
    env: [...tokenEnv, ...originEnv, "ALLOWED_ORIGINS", "SHARED_KEY", "PLAN_STAGES"],
    impact: "Nobody can connect to the stream. Open connections are not affected.",
  },
  ...realtimeRows,
  ...noticeRows,
  ...planRows,
  ...tradingRows,
  ...marketRows,
} as const satisfies Record<string, Row>;

export type OperationName = keyof typeof rows;

type NamesOf<Kind extends Operation["kind"]> = {
  [Name in OperationName]: (typeof rows)[Name]["kind"] extends Kind ? Name : never;
}[OperationName];

export type RestOperationName = NamesOf<"rest">;

export type RefusalOperationName = NamesOf<"refusal">;

export type WebSocketOperationName = NamesOf<"websocket">;

/** Names of the functions that no client waits for. */
export type BackgroundOperationName = NamesOf<"changes" | "notices" | "schedule" | "internal">;

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

/** Subject of a row. Undefined for the authorizers, which belong to the APIs. */
export const subjectOf = (name: OperationName): Subject | undefined =>
  (Object.keys(rowsOfSubjects) as Subject[]).find((subject) => name in rowsOfSubjects[subject]);

/** Rows of one kind, by name, in the order of THE TABLE. */
export function operationsOf<Kind extends Operation["kind"]>(kind: Kind) {
  return Object.entries<Operation>(operations).filter(
    (row): row is [NamesOf<Kind>, Extract<Operation, { kind: Kind }>] => row[1].kind === kind,
  );
}

/** Methods of the REST API, each with its row's name. */
export const restMethods: readonly (RestMethod & { name: RestOperationName })[] = operationsOf("rest").map(
  ([name, { method, path }]) => ({ name, method, path }),
);

/** Scopes of the operations that program keys reach, by method and path. */
export const scopesOfMethods: Readonly<Record<string, Scope>> = Object.fromEntries(
  operationsOf("rest").flatMap(([, { method, path, scope }]) =>
    scope === undefined ? [] : [[`${method} ${path}`, scope] as const],
  ),
);

/** Methods that API Gateway serves: those of the table of operations, and a HEAD for each GET. */
export const servedMethods: readonly ServedMethod[] = restMethods.flatMap((row) =>
  row.method === "GET" ? [row, { ...row, method: "HEAD" as const }] : row,
);

export type ServedMethod = Omit<(typeof restMethods)[number], "method"> & {
  method: RestMethod["method"] | "HEAD";
};
