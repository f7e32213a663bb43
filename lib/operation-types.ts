/** The rows that the table of operations may hold. */

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
export type EnvName =
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
  env: readonly EnvName[];
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
export type ChangesRow = FunctionRow & { kind: "changes" };

/** Runs at a fixed rate: always, or where prices are fetched. */
export type ScheduleRow = FunctionRow & {
  kind: "schedule";
  everyMinutes: number;
  runs: "always" | "with price feeds";
};

/** Is invoked by who holds lambda:InvokeFunction on it, and in no other way. */
export type InternalRow = FunctionRow & { kind: "internal" };

export type Operation = RestRow | AuthorizerRow | WebSocketRow | ChangesRow | ScheduleRow | InternalRow;
