/**
 * THE TABLE: one row per deployed function. Functions, routes, IAM grants, environment, alarms, the OpenAPI document and
 * the README's table of operations are derived from it, in that one direction. A row's name is its folder in functions/.
 */

/** Which body an error has: `{message}`, `{error}`, or `{success:false, error:{code,message}, timestamp}`. */
export type ErrorShape = "message" | "error" | "envelope";

/** IAM actions on the table that any row may ask for. A transaction needs the actions of the writes in it. */
export type TableAction = "dynamodb:GetItem" | "dynamodb:Query" | "dynamodb:PutItem" | "dynamodb:UpdateItem";

/** IAM actions on the KMS key that any row may ask for. Decrypt is absent until a function needs to sign. */
export type KeyAction = "kms:GenerateDataKey";

/** Environment variables that carry configuration; a grant on the table or the key brings its own. */
export type Setting =
  | "ALLOWED_ORIGINS"
  | "WALLET_LIMITS"
  | "ISSUER"
  | "AUDIENCE"
  | "JWKS_URI"
  | "COOKIE_NAME";

type FunctionRow = {
  /** What it does, in a few words. */
  summary: string;
  /** Actions on the table; any of them brings TABLE_NAME. */
  table: readonly TableAction[];
  /** Actions on the KMS key; any of them brings KEY_ID. */
  key: readonly KeyAction[];
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

/** The function that every method asks who is calling. */
export type AuthorizerRow = FunctionRow & { kind: "authorizer" };

export type Operation = RestRow | AuthorizerRow;

export const operations = {
  authorize: {
    kind: "authorizer",
    summary: "Find out who calls, and let them in",
    table: ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
    key: [],
    settings: ["ISSUER", "AUDIENCE", "JWKS_URI", "COOKIE_NAME"],
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
    settings: ["ALLOWED_ORIGINS"],
    memorySize: 512,
    timeout: 10,
    impact: "Clients of the v2 wallet list cannot see the user's wallets; nothing is lost.",
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

type NamesOf<Kind extends Operation["kind"]> = {
  [Name in OperationName]: (typeof operations)[Name]["kind"] extends Kind ? Name : never;
}[OperationName];

export type RestOperationName = NamesOf<"rest">;

/** The rows of one kind, named, in the order of the table. */
export function operationsOf<Kind extends Operation["kind"]>(kind: Kind) {
  return Object.entries<Operation>(operations).filter(
    (row): row is [NamesOf<Kind>, Extract<Operation, { kind: Kind }>] => {
      return row[1].kind === kind;
    },
  );
}
