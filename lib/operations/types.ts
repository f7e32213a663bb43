import type { Scope } from "../core/scope.ts";
import type { PartitionName, ProtectedPartition } from "../table/layout.ts";

/** IAM actions that read the table. A check in a transaction counts as a read. */
type ReadAction =
  | "dynamodb:ConditionCheckItem"
  | "dynamodb:GetItem"
  | "dynamodb:BatchGetItem"
  | "dynamodb:Query";

/** IAM actions on the table. A transaction needs the actions of the writes and checks in it. */
export type TableAction = ReadAction | "dynamodb:PutItem" | "dynamodb:UpdateItem" | "dynamodb:DeleteItem";

/** IAM actions on the KMS key of the wallets. Only `opensWallets` allows Decrypt. */
export type KeyAction = "kms:GenerateDataKey" | "kms:Decrypt";

/** IAM actions on the KMS keys to which users seal private keys. */
export type ImportKeyAction = "kms:GetPublicKey" | "kms:DeriveSharedSecret";

/** IAM actions on the KMS key that authenticates orders. */
export type MacAction = "kms:GenerateMac" | "kms:VerifyMac";

/** Methods of API Gateway's @connections: look up a connection, send to it, close it. */
export type ConnectionAction = "GET" | "POST" | "DELETE";

/** Calls of API Gateway's control plane, which manages API keys and usage plans. */
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
  | "GetUsagePlanKey"
  | "GetUsagePlanKeys";

/** Environment variables that carry configuration. */
export type EnvName =
  | "ALLOWED_ORIGINS"
  | "WALLET_LIMITS"
  | "ISSUER"
  | "AUDIENCE"
  | "JWKS_URI"
  | "MAX_TOKEN_SECONDS"
  | "COOKIE_NAME"
  | "BARE_COOKIE"
  | "ORIGIN_KEYS"
  | "EDGE_ONLY"
  | "SCOPES"
  | "COOKIE_SAME_SITE"
  | "CHANNEL_SHARDS"
  | "CONNECTIONS_PER_USER"
  | "PRICE_FEEDS"
  | "SHARED_KEY"
  | "FALLBACK_KEYS"
  | "FALLBACK_PREFIX"
  | "FALLBACK_PLAN_ID"
  | "PRICES_EVERY_SECONDS"
  | "PLAN_STAGES"
  | "PLAN_PREFIX"
  | "STANDARD_PLAN_ID"
  | "PRO_PLAN_ID"
  | "KEY_GRACE_SECONDS"
  | "EXPORT_DELAY_SECONDS"
  | "TABLE_ID"
  | "LOSS_SIGN_IN"
  | "FAST_TRIGGERS"
  | "NOTICE_BUS_ARN"
  | "RETRY_QUEUE_URL"
  | "LANE_SHARDS"
  | "READS_ONE_CHAIN"
  | "MARKET_CHAINS"
  | "HOST_KEYS"
  | "SIGNING"
  | "MARKET_TOKENS"
  | "EARNING"
  | "RECORDS_EARNINGS"
  | "TRADING";

/** Columns that a row may omit. */
export type Defaults = {
  /**
   * When the function is deployed: always, or only if trading, the markets of tokens, wallet export, users' devices, or
   * earning are switched on.
   */
  deployed: "always" | "with trading" | "with markets" | "with export" | "with devices" | "with earning";
  /**
   * Actions on the table. Any action adds the variable TABLE_NAME, and checks in transactions add
   * TRANSACTION_PARTITIONS.
   */
  table: readonly TableAction[];
  /** Partitions that the function may write. Its role is denied writes to all others. */
  writes: readonly PartitionName[];
  /** Partitions of `writes` whose items the function may delete. */
  deletes: readonly PartitionName[];
  /** Protected partitions that the function may read or check. Its role is denied reads of all other protected ones. */
  reads: readonly ProtectedPartition[];
  /**
   * Guarded partitions that the function's transactions check before acting on the guarded content. If IAM policies
   * only see the keys of whole transactions, the function may also write there. It gains nothing by that, because it
   * could just as well skip the check.
   */
  enforces: readonly ProtectedPartition[];
  /** Actions on the KMS key of the wallets. Any action adds the variable KEY_ID. */
  key: readonly KeyAction[];
  /** Actions on the KMS keys for imports. Any action adds the variable IMPORT_KEYS. */
  importKeys: readonly ImportKeyAction[];
  /**
   * Actions on the KMS key of orders, which exists only if trading is switched on. Any action adds the variable
   * MAC_KEY_ID.
   */
  mac: readonly MacAction[];
  /** Actions on the KMS key of resting orders' children. Any action adds the variable CHILD_MAC_KEY_ID. */
  childMac: readonly MacAction[];
  /** True if the function may decrypt the private keys of wallets. It then runs without internet access. */
  opensWallets: boolean;
  /** Actions on WebSocket connections. Any action adds the variable AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI. */
  connections: readonly ConnectionAction[];
  /** Functions that the function may invoke. Each adds a variable such as DELIVER_FUNCTION. */
  invokes: readonly (
    | "deliver"
    | "catchUp"
    | "feedPrices"
    | "executeOrders"
    | "signTransaction"
    | "fireOrders"
    | "watchTriggers"
    | "readChains"
    | "readMarkets"
    | "loadHistory"
    | "sealExport"
    | "loosenGuards"
  )[];
  /** True if the function may put notices on the EventBridge bus. */
  notices: boolean;
  /** Actions on API keys and usage plans. */
  plans: readonly PlanAction[];
  /** Keys and plans that the function may create, change and delete: those of single users, or the fallback keys. */
  keysOf: "users" | "fallback";
  env: readonly EnvName[];
  /** Memory of the function. Lambda gives CPU in proportion to memory, so this also sets the cold start. */
  memoryMB: number;
  timeoutSeconds: number;
};

type FunctionRow = Defaults & {
  /** Task of the function, in a few words. */
  summary: string;
  /** How failures of the function affect users: the first sentence of its alarms. */
  impact: string;
};

/** A method of the REST API. All methods need a token. */
export type RestMethod = { method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE"; path: `/${string}` };

/** Methods whose requests have a JSON body. */
export const methodsWithBody: readonly string[] = ["POST", "PATCH", "PUT"] satisfies RestMethod["method"][];

/** A row that serves a method. */
export type RestRow = FunctionRow &
  RestMethod & {
    kind: "rest";
    /** What a program key must be allowed. Without it, no program key reaches the operation. */
    scope?: Scope;
  };

/** A feature that a deployment may switch on. */
export type Capability = Exclude<Defaults["deployed"], "always">;

/** A row that rejects requests for methods whose rows are not deployed. */
export type RefusalRow = FunctionRow & {
  kind: "refusal";
  /** The capability whose requests the row rejects while the capability is switched off. Earning has no requests. */
  refuses: Exclude<Capability, "with earning">;
};

/** A row that identifies the caller before every method of the REST API, or before `$connect`. */
export type AuthorizerRow = FunctionRow & { kind: "authorizer"; of: "rest" | "websocket" };

/** A route of the WebSocket API: an event of the connection, or the `type` of a message. */
export type WebSocketRow = FunctionRow & {
  kind: "websocket";
  route: "$connect" | "$disconnect" | "$default" | "subscribe" | "unsubscribe" | "ping";
  /**
   * True if the route sends no response. If the result had no body, API Gateway would send the client an empty message.
   */
  pushesReplies?: true;
};

/**
 * A row that runs after changes of the table, in the order of the changes. lib/table/layout.ts lists the items whose
 * changes go to users or subscribers.
 */
export type ChangesRow = FunctionRow & { kind: "changes"; changes: "published items" | "profiles" };

/**
 * A row that gets the notices on the bus by a queue, and its own retries by another one. It may read only the
 * partitions in `reads` of the table, because it talks to addresses that users choose. Only it may read the key for
 * pushes.
 */
export type NoticesRow = FunctionRow & { kind: "notices" };

/** A row that runs at a fixed rate. */
export type ScheduleRow = FunctionRow & {
  kind: "schedule";
  everyMinutes: number;
};

/** A row invoked directly. The caller needs `lambda:InvokeFunction`. */
export type InternalRow = FunctionRow & { kind: "internal" };

/** A row with its defaults filled in. */
export type Operation =
  | RestRow
  | RefusalRow
  | AuthorizerRow
  | WebSocketRow
  | ChangesRow
  | NoticesRow
  | ScheduleRow
  | InternalRow;

/**
 * Columns that rows of a kind may omit, and variables that all rows of the kind get. By default, no kind has any
 * rights.
 */
export type DefaultsOfKinds = {
  rest: Pick<RestRow, "env">;
  refusal: Pick<RefusalRow, "env">;
};

type Optional<Kind extends Operation> =
  | Exclude<keyof Defaults, keyof TableRights>
  | (Kind["kind"] extends keyof DefaultsOfKinds ? keyof DefaultsOfKinds[Kind["kind"]] : never);

/** Rights on the table as a row states them. Rights to write or delete name their partitions. */
type TableRights = { [Name in "table" | "writes" | "deletes"]?: unknown } & (
  | { table?: readonly ReadAction[] }
  | { table: readonly Exclude<TableAction, "dynamodb:DeleteItem">[]; writes: Partitions }
  | { table: readonly TableAction[]; writes: Partitions; deletes: Partitions }
);

/** Partitions of a right. There is at least one. */
type Partitions = readonly [PartitionName, ...PartitionName[]];

type Written<Kind extends Operation> = Kind extends Operation
  ? Omit<Kind, Optional<Kind> | keyof TableRights> &
      Partial<Pick<Kind, Optional<Kind> & keyof Kind>> &
      TableRights
  : never;

/** A row as written in THE TABLE. */
export type Row = Written<Operation>;
