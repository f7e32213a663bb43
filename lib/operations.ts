/**
 * THE TABLE: one row per deployed function. Functions, routes, IAM grants, environment, alarms, the OpenAPI document and
 * the README's table of operations are derived from it, in that one direction. A row's name is its folder in functions/.
 */

/** Which body an error has: `{message}`, `{error}`, or `{success:false, error:{code,message}, timestamp}`. */
export type ErrorShape = "message" | "error" | "envelope";

/** IAM actions on the table that any row may ask for. A transaction needs the actions of the writes in it. */
export type TableAction =
  | "dynamodb:GetItem"
  | "dynamodb:Query"
  | "dynamodb:PutItem"
  | "dynamodb:UpdateItem"
  | "dynamodb:DeleteItem";

/** IAM actions on the KMS key that any row may ask for. Decrypt is absent until a function needs to sign. */
export type KeyAction = "kms:GenerateDataKey";

/** Methods of API Gateway's @connections that any row may ask for. */
export type ConnectionAction = "POST" | "DELETE";

/** Calls of API Gateway's control plane, which holds keys and plans, that any row may ask for. */
export type PlanAction =
  | "CreateApiKey"
  | "GetApiKeys"
  | "DeleteApiKey"
  | "CreateUsagePlan"
  | "GetUsagePlan"
  | "GetUsagePlans"
  | "UpdateUsagePlan"
  | "DeleteUsagePlan"
  | "CreateUsagePlanKey"
  | "GetUsagePlanKey";

/** Environment variables that carry configuration; a grant on the table or the key brings its own. */
export type Setting =
  | "ALLOWED_ORIGINS"
  | "WALLET_LIMITS"
  | "ISSUER"
  | "AUDIENCE"
  | "JWKS_URI"
  | "COOKIE_NAME"
  | "CHANNEL_SHARDS"
  | "PRICE_FEEDS"
  | "SHARED_KEY_VALUE"
  | "PLAN_STAGES"
  | "PLAN_PREFIX"
  | "STANDARD_PLAN_ID"
  | "PRO_PLAN_ID"
  | "KEY_GRACE_SECONDS";

type FunctionRow = {
  /** What it does, in a few words. */
  summary: string;
  /** Actions on the table; any of them brings TABLE_NAME. */
  table: readonly TableAction[];
  /** Actions on the KMS key; any of them brings KEY_ID. */
  key: readonly KeyAction[];
  /** What it does to WebSocket connections: send, close. Any of it brings AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI. */
  connections: readonly ConnectionAction[];
  /** The functions that it invokes; `deliver` brings DELIVER_FUNCTION, its name. */
  invokes: readonly "deliver"[];
  /** What it does to keys and plans in API Gateway's control plane. */
  plans: readonly PlanAction[];
  settings: readonly Setting[];
  /** MB. Lambda gives CPU in proportion, so it also sets the cold start. */
  memorySize: number;
  /** Seconds. */
  timeout: number;
  /** What a user suffers while it fails: one sentence, the text of its alarm. */
  impact: string;
};

/** A method of the REST API. */
export type RestRow = FunctionRow & {
  kind: "rest";
  method: "GET" | "POST";
  path: `/${string}`;
  /** Nothing is public: a row without a token would have to add its own word here. */
  auth: "token";
  /** Body of its answers below 500, and from 500 on. */
  errors: { client: ErrorShape; server: ErrorShape };
};

/** The function that is asked who is calling: by every method of the REST API, or by `$connect`. */
export type AuthorizerRow = FunctionRow & { kind: "authorizer"; of: "rest" | "websocket" };

/** A route of the WebSocket API: what happens to a connection, or the `type` of a message. */
export type WebSocketRow = FunctionRow & {
  kind: "websocket";
  route: "$connect" | "$disconnect" | "$default" | "subscribe" | "unsubscribe" | "ping";
};

/** Hears of changes of the table, in order; which ones is in lib/infra/constructs/table-changes.ts. */
export type StreamRow = FunctionRow & { kind: "stream" };

/** Runs at a fixed rate: always, or where prices are fetched. */
export type ScheduleRow = FunctionRow & {
  kind: "schedule";
  everyMinutes: number;
  runs: "always" | "with price feeds";
};

/** Is invoked by who holds lambda:InvokeFunction on it, and in no other way. */
export type InternalRow = FunctionRow & { kind: "internal" };

export type Operation = RestRow | AuthorizerRow | WebSocketRow | StreamRow | ScheduleRow | InternalRow;

export const operations = {
  authorize: {
    kind: "authorizer",
    of: "rest",
    summary: "Find out who calls, and let them in",
    table: ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
    key: [],
    connections: [],
    invokes: [],
    plans: [],
    settings: ["ISSUER", "AUDIENCE", "JWKS_URI", "COOKIE_NAME", "SHARED_KEY_VALUE", "PLAN_STAGES"],
    memorySize: 512,
    timeout: 10,
    impact: "Nobody can use the service: requests with a good token are answered with 500.",
  },
  storeWallet: {
    kind: "rest",
    method: "POST",
    path: "/storeWallet_v2",
    auth: "token",
    summary: "Import a wallet by its private key",
    errors: { client: "message", server: "message" },
    table: ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
    key: ["kms:GenerateDataKey"],
    connections: [],
    invokes: [],
    plans: [],
    settings: ["ALLOWED_ORIGINS", "WALLET_LIMITS"],
    memorySize: 512,
    timeout: 10,
    impact: "Users cannot import wallets; wallets that are already held are not affected.",
  },
  listWallets: {
    kind: "rest",
    method: "GET",
    path: "/listWallets",
    auth: "token",
    summary: "List the user's wallets on all networks",
    errors: { client: "message", server: "error" },
    table: ["dynamodb:Query"],
    key: [],
    connections: [],
    invokes: [],
    plans: [],
    settings: ["ALLOWED_ORIGINS"],
    memorySize: 512,
    timeout: 10,
    impact: "Users cannot see their wallets; nothing is lost.",
  },
  updateTradingSettings: {
    kind: "rest",
    method: "POST",
    path: "/updateTradingSettings/{chain}",
    auth: "token",
    summary: "Change the user's trading settings for one chain",
    errors: { client: "message", server: "message" },
    table: ["dynamodb:UpdateItem"],
    key: [],
    connections: [],
    invokes: [],
    plans: [],
    settings: ["ALLOWED_ORIGINS"],
    memorySize: 512,
    timeout: 10,
    impact:
      "Users cannot change slippage, gas, MEV protection or automatic trading; the old settings stay in force.",
  },
  getUserData: {
    kind: "rest",
    method: "GET",
    path: "/getUserData",
    auth: "token",
    summary: "Read the user's profile or referral data",
    errors: { client: "error", server: "error" },
    table: ["dynamodb:Query"],
    key: [],
    connections: [],
    invokes: [],
    plans: [],
    settings: ["ALLOWED_ORIGINS"],
    memorySize: 512,
    timeout: 10,
    impact: "Users cannot see their profile, level, settings or referrals.",
  },
  listRewards: {
    kind: "rest",
    method: "GET",
    path: "/api/waitlist/v2/rewards",
    auth: "token",
    summary: "List the rewards that points can buy",
    errors: { client: "envelope", server: "envelope" },
    table: ["dynamodb:GetItem"],
    key: [],
    connections: [],
    invokes: [],
    plans: [],
    settings: ["ALLOWED_ORIGINS"],
    memorySize: 512,
    timeout: 10,
    impact: "Users cannot see the rewards.",
  },
  listWalletsV2: {
    kind: "rest",
    method: "GET",
    path: "/api/v2/wallets",
    auth: "token",
    summary: "List the user's wallets, in the general envelope",
    errors: { client: "envelope", server: "envelope" },
    table: ["dynamodb:Query"],
    key: [],
    connections: [],
    invokes: [],
    plans: [],
    settings: ["ALLOWED_ORIGINS"],
    memorySize: 512,
    timeout: 10,
    impact: "Clients of the v2 wallet list cannot see the user's wallets; nothing is lost.",
  },
  authorizeConnection: {
    kind: "authorizer",
    of: "websocket",
    summary: "Find out who connects, and let them in",
    table: ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
    key: [],
    connections: [],
    invokes: [],
    plans: [],
    settings: [
      "ISSUER",
      "AUDIENCE",
      "JWKS_URI",
      "COOKIE_NAME",
      "ALLOWED_ORIGINS",
      "SHARED_KEY_VALUE",
      "PLAN_STAGES",
    ],
    memorySize: 512,
    timeout: 10,
    impact: "Nobody can connect to the streams; open connections are not affected.",
  },
  connect: {
    kind: "websocket",
    route: "$connect",
    summary: "Remember a new connection",
    table: ["dynamodb:PutItem"],
    key: [],
    connections: [],
    invokes: [],
    plans: [],
    settings: ["CHANNEL_SHARDS"],
    memorySize: 512,
    timeout: 10,
    impact: "Nobody can connect to the streams; open connections are not affected.",
  },
  disconnect: {
    kind: "websocket",
    route: "$disconnect",
    summary: "Forget a connection and its subscriptions",
    table: ["dynamodb:DeleteItem"],
    key: [],
    connections: [],
    invokes: [],
    plans: [],
    settings: [],
    memorySize: 512,
    timeout: 10,
    impact: "Closed connections are remembered until the next push to them; users notice nothing.",
  },
  subscribe: {
    kind: "websocket",
    route: "subscribe",
    summary: "Subscribe a connection to channels, and send what they hold",
    table: [
      "dynamodb:GetItem",
      "dynamodb:Query",
      "dynamodb:PutItem",
      "dynamodb:UpdateItem",
      "dynamodb:DeleteItem",
    ],
    key: [],
    connections: ["POST"],
    invokes: [],
    plans: [],
    settings: [],
    memorySize: 512,
    timeout: 10,
    impact: "Users cannot subscribe to prices, orders and positions; existing subscriptions go on.",
  },
  unsubscribe: {
    kind: "websocket",
    route: "unsubscribe",
    summary: "End subscriptions of a connection",
    table: ["dynamodb:GetItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"],
    key: [],
    connections: ["POST"],
    invokes: [],
    plans: [],
    settings: [],
    memorySize: 512,
    timeout: 10,
    impact: "Users cannot end a subscription and go on receiving what they no longer want.",
  },
  ping: {
    kind: "websocket",
    route: "ping",
    summary: "Answer a ping, which keeps a connection from being idle",
    table: [],
    key: [],
    connections: [],
    invokes: [],
    plans: [],
    settings: [],
    memorySize: 256,
    timeout: 10,
    impact: "Quiet connections are closed after ten minutes, and clients have to reconnect.",
  },
  unknownMessage: {
    kind: "websocket",
    route: "$default",
    summary: "Say what is wrong with a message of no known type",
    table: [],
    key: [],
    connections: [],
    invokes: [],
    plans: [],
    settings: [],
    memorySize: 256,
    timeout: 10,
    impact: "Clients that send a malformed message are not told what is wrong with it.",
  },
  publishChanges: {
    kind: "stream",
    summary: "Push changed settings, orders, positions and prices to whom they concern",
    table: ["dynamodb:Query", "dynamodb:DeleteItem"],
    key: [],
    connections: ["POST", "DELETE"],
    invokes: ["deliver"],
    plans: [],
    settings: ["CHANNEL_SHARDS"],
    memorySize: 1024,
    timeout: 30,
    impact: "Connected clients hear of changes late or not at all; what they read over HTTP is right.",
  },
  deliver: {
    kind: "internal",
    summary: "Push a message to one shard of a channel's subscribers",
    table: ["dynamodb:GetItem", "dynamodb:Query", "dynamodb:DeleteItem"],
    key: [],
    connections: ["POST", "DELETE"],
    invokes: [],
    plans: [],
    settings: [],
    memorySize: 1769,
    timeout: 30,
    impact: "Subscribers of prices do not receive them; the next second brings the next try.",
  },
  recordExecutions: {
    kind: "internal",
    summary: "Record orders and positions, for an execution engine",
    table: ["dynamodb:GetItem", "dynamodb:PutItem"],
    key: [],
    connections: [],
    invokes: [],
    plans: [],
    settings: [],
    memorySize: 512,
    timeout: 30,
    impact: "Execution engines cannot record orders and positions, and users do not see them.",
  },
  feedPrices: {
    kind: "schedule",
    everyMinutes: 1,
    runs: "with price feeds",
    summary: "Follow the venues' price feeds and keep the latest prices",
    table: ["dynamodb:UpdateItem"],
    key: [],
    connections: [],
    invokes: [],
    plans: [],
    settings: ["PRICE_FEEDS"],
    memorySize: 256,
    timeout: 150,
    impact: "Prices stand still; each says of when it is.",
  },
  mirrorPlans: {
    kind: "stream",
    summary: "Give each user an API key on the usage plan of their tier",
    table: ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:DeleteItem"],
    key: [],
    connections: [],
    invokes: [],
    plans: [
      "CreateApiKey",
      "GetApiKeys",
      "CreateUsagePlan",
      "GetUsagePlan",
      "GetUsagePlans",
      "UpdateUsagePlan",
      "CreateUsagePlanKey",
      "GetUsagePlanKey",
    ],
    settings: ["STANDARD_PLAN_ID", "PRO_PLAN_ID", "PLAN_PREFIX", "PLAN_STAGES", "KEY_GRACE_SECONDS"],
    memorySize: 512,
    timeout: 300,
    impact: "New users share one rate limit, and users whose tier has changed share it too.",
  },
  deleteRetiredKeys: {
    kind: "schedule",
    everyMinutes: 5,
    runs: "always",
    summary: "Delete API keys that nobody uses any more, and plans that customers have left",
    table: ["dynamodb:Query", "dynamodb:DeleteItem"],
    key: [],
    connections: [],
    invokes: [],
    plans: [
      "GetApiKeys",
      "DeleteApiKey",
      "GetUsagePlan",
      "GetUsagePlans",
      "UpdateUsagePlan",
      "DeleteUsagePlan",
    ],
    settings: ["PLAN_PREFIX", "PLAN_STAGES"],
    memorySize: 512,
    // A run ends before the next one begins: what it has not come to is left for that.
    timeout: 240,
    impact:
      "Users notice nothing until the 10,000 keys of the account are used up; then new users share one.",
  },
  freeIdleKeys: {
    kind: "schedule",
    everyMinutes: 1440,
    runs: "always",
    summary: "Retire the API keys of users who were not seen for 30 days",
    table: ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:DeleteItem"],
    key: [],
    connections: [],
    invokes: [],
    plans: ["GetApiKeys"],
    settings: ["PLAN_PREFIX", "PLAN_STAGES"],
    memorySize: 512,
    timeout: 900,
    impact:
      "Users notice nothing until the 10,000 keys of the account are used up; then new users share one.",
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

type NamesOf<Kind extends Operation["kind"]> = {
  [Name in OperationName]: (typeof operations)[Name]["kind"] extends Kind ? Name : never;
}[OperationName];

export type RestOperationName = NamesOf<"rest">;

export type StreamOperationName = NamesOf<"stream">;

/** The rows of one kind, named, in the order of the table. */
export function operationsOf<Kind extends Operation["kind"]>(kind: Kind) {
  return Object.entries<Operation>(operations).filter(
    (row): row is [NamesOf<Kind>, Extract<Operation, { kind: Kind }>] => {
      return row[1].kind === kind;
    },
  );
}
