import type * as v from "valibot";
import type { RestOperationName } from "../operations.ts";
import { BalancesAnswerSchema, BalancesQuerySchema } from "./balance-schema.ts";
import type { HttpErrorCode } from "./errors.ts";
import {
  ListOrdersQuerySchema,
  ListPositionsQuerySchema,
  OrderAnswerSchema,
  OrderPageSchema,
  OrderPathSchema,
  PositionPageSchema,
} from "./execution-list-schema.ts";
import {
  CancelledAnswerSchema,
  CancelOrderSchema,
  PlacedAnswerSchema,
  PlaceOrderHeadersSchema,
  PlaceOrderSchema,
} from "./order-request-schema.ts";
import { QuoteAnswerSchema, QuoteRequestSchema } from "./quote-schema.ts";
import { RewardListSchema } from "./reward-schema.ts";
import { MessageSchema, NoContentSchema, NoQuerySchema } from "./scalars.ts";
import {
  ExportCancelledAnswerSchema,
  ExportWalletSchema,
  ImportKeysAnswerSchema,
  ImportSealedWalletHeadersSchema,
  ImportSealedWalletSchema,
  WalletExportAnswerSchema,
} from "./sealed-wallet-schema.ts";
import { ChainPathSchema, SettingsPatchSchema, SettingsRecordSchema } from "./settings-schema.ts";
import {
  InspectedTokenAnswerSchema,
  ListTokensQuerySchema,
  TokenListSchema,
  TokenPathSchema,
} from "./token-schema.ts";
import { StartSessionSchema, UserDataQuerySchema, UserDataSchema } from "./user-data-schema.ts";
import { GivenPolicySchema, PolicyAnswerSchema } from "./wallet-policy-schema.ts";
import {
  CreateWalletHeadersSchema,
  CreateWalletSchema,
  ListWalletsQuerySchema,
  RestoreWalletSchema,
  RetiredAnswerSchema,
  UpdateWalletSchema,
  WalletEventPageSchema,
  WalletEventsQuerySchema,
  WalletPageSchema,
  WalletPathSchema,
} from "./wallet-request-schema.ts";
import { ImportWalletSchema, WalletAnswerSchema, WalletsSchema } from "./wallet-schema.ts";

export type OperationSchemas = {
  path?: v.GenericSchema;
  query?: v.GenericSchema;
  body?: v.GenericSchema;
  /** By their usual names. Headers of other operations are not read. */
  headers?: v.GenericSchema;
  /** The body of a 200, or {@link NoContentSchema} for a 204. A field that it does not list never leaves the service. */
  success: v.GenericSchema;
  /** What the headers of a success mean that only this operation has. */
  answerHeaders?: Readonly<Record<string, string>>;
  /** The errors that it may end in, beside those of every request with such input. */
  errors?: readonly HttpErrorCode[];
};

/** Of what asks chains. Where none trades, another function answers. */
const ofChains = ["UNSUPPORTED_CHAIN", "TRADING_DISABLED"] as const satisfies HttpErrorCode[];

/** The input and output of each operation. */
export const schemas = {
  storeWallet: {
    body: ImportWalletSchema,
    success: MessageSchema,
    errors: ["INVALID_PRIVATE_KEY", "WALLET_LIMIT_REACHED"],
  },
  listWallets: { success: WalletsSchema },
  startSession: {
    query: NoQuerySchema,
    body: StartSessionSchema,
    success: NoContentSchema,
    answerHeaders: {
      "Set-Cookie":
        "The token, as long as it is valid: HttpOnly, Secure, and for the pages of the API's own site.",
    },
    errors: ["INVALID_REQUEST"],
  },
  endSession: {
    query: NoQuerySchema,
    success: NoContentSchema,
    answerHeaders: { "Set-Cookie": "The cookie without a value, which the browser removes." },
  },
  updateTradingSettings: {
    path: ChainPathSchema,
    body: SettingsPatchSchema,
    success: SettingsRecordSchema,
    errors: ["INVALID_SETTING"],
  },
  getUserData: { query: UserDataQuerySchema, success: UserDataSchema },
  listRewards: { success: RewardListSchema },
  listTokens: {
    query: ListTokensQuerySchema,
    success: TokenListSchema,
    errors: ["INVALID_REQUEST", ...ofChains],
  },
  inspectToken: {
    path: TokenPathSchema,
    query: NoQuerySchema,
    success: InspectedTokenAnswerSchema,
    errors: [...ofChains, "TOKEN_NOT_FOUND", "CHAIN_UNAVAILABLE"],
  },
  readBalances: {
    query: BalancesQuerySchema,
    success: BalancesAnswerSchema,
    errors: ["INVALID_REQUEST", ...ofChains, "WALLET_NOT_FOUND", "TOKEN_NOT_FOUND", "CHAIN_UNAVAILABLE"],
  },
  quoteOrder: {
    query: NoQuerySchema,
    body: QuoteRequestSchema,
    success: QuoteAnswerSchema,
    errors: [
      ...ofChains,
      "NO_ROUTE",
      "AMOUNT_TOO_SMALL",
      "INSUFFICIENT_BALANCE",
      "WALLET_NOT_FOUND",
      "TOKEN_NOT_FOUND",
      "CHAIN_UNAVAILABLE",
    ],
  },
  listOrders: { query: ListOrdersQuerySchema, success: OrderPageSchema, errors: ["INVALID_REQUEST"] },
  getOrder: {
    path: OrderPathSchema,
    query: NoQuerySchema,
    success: OrderAnswerSchema,
    errors: ["ORDER_NOT_FOUND"],
  },
  placeOrder: {
    query: NoQuerySchema,
    headers: PlaceOrderHeadersSchema,
    body: PlaceOrderSchema,
    success: PlacedAnswerSchema,
    answerHeaders: {
      "Idempotent-Replayed": "`true` if the key had placed the order before. It is answered as it is now.",
    },
    errors: [
      "IDEMPOTENCY_KEY_MISSING",
      "IDEMPOTENCY_KEY_REUSED",
      ...ofChains,
      "WALLET_NOT_FOUND",
      "WALLET_BUSY",
      "POLICY_LIMIT",
      "TOKEN_NOT_FOUND",
      "NO_ROUTE",
      "AMOUNT_TOO_SMALL",
      "GAS_PRICE_TOO_HIGH",
      "INSUFFICIENT_BALANCE",
      "TOKEN_UNSAFE",
      "PRICE_IMPACT_TOO_HIGH",
      "CHAIN_UNAVAILABLE",
    ],
  },
  cancelOrder: {
    path: OrderPathSchema,
    query: NoQuerySchema,
    body: CancelOrderSchema,
    success: CancelledAnswerSchema,
    errors: ["TRADING_DISABLED", "ORDER_NOT_FOUND", "ORDER_NOT_CANCELLABLE"],
  },
  listPositions: {
    query: ListPositionsQuerySchema,
    success: PositionPageSchema,
    errors: ["INVALID_REQUEST"],
  },
  exportWallet: {
    path: WalletPathSchema,
    query: NoQuerySchema,
    body: ExportWalletSchema,
    success: WalletExportAnswerSchema,
    errors: [
      "INVALID_REQUEST",
      "EXPORT_DISABLED",
      "WALLET_NOT_FOUND",
      "EXPORT_NOT_FOUND",
      "EXPORT_LIMIT_REACHED",
    ],
  },
  cancelExport: {
    path: WalletPathSchema,
    query: NoQuerySchema,
    success: ExportCancelledAnswerSchema,
    errors: ["EXPORT_DISABLED", "EXPORT_NOT_FOUND"],
  },
  importWallet: {
    query: NoQuerySchema,
    headers: ImportSealedWalletHeadersSchema,
    body: ImportSealedWalletSchema,
    success: WalletAnswerSchema,
    answerHeaders: {
      "Idempotent-Replayed": "`true` if the key had imported the wallet before. It is answered as it is now.",
    },
    errors: [
      "IDEMPOTENCY_KEY_MISSING",
      "IDEMPOTENCY_KEY_REUSED",
      "UNKNOWN_IMPORT_KEY",
      "INVALID_CIPHERTEXT",
      "INVALID_PRIVATE_KEY",
      "ADDRESS_MISMATCH",
      "WALLET_LIMIT_REACHED",
      "WALLET_NOT_FOUND",
    ],
  },
  listImportKeys: { query: NoQuerySchema, success: ImportKeysAnswerSchema },
  createWallet: {
    query: NoQuerySchema,
    headers: CreateWalletHeadersSchema,
    body: CreateWalletSchema,
    success: WalletAnswerSchema,
    answerHeaders: {
      "Idempotent-Replayed": "`true` if the key had made the wallet before. It is answered as it is now.",
    },
    errors: ["IDEMPOTENCY_KEY_MISSING", "IDEMPOTENCY_KEY_REUSED", "WALLET_LIMIT_REACHED", "WALLET_NOT_FOUND"],
  },
  updateWallet: {
    path: WalletPathSchema,
    query: NoQuerySchema,
    body: UpdateWalletSchema,
    success: WalletAnswerSchema,
    errors: ["WALLET_NOT_FOUND"],
  },
  getWalletPolicy: {
    path: WalletPathSchema,
    query: NoQuerySchema,
    success: PolicyAnswerSchema,
    errors: ["WALLET_NOT_FOUND"],
  },
  setWalletPolicy: {
    path: WalletPathSchema,
    query: NoQuerySchema,
    body: GivenPolicySchema,
    success: PolicyAnswerSchema,
    errors: ["WALLET_NOT_FOUND"],
  },
  retireWallet: {
    path: WalletPathSchema,
    query: NoQuerySchema,
    success: RetiredAnswerSchema,
    errors: ["WALLET_NOT_FOUND", "WALLET_BUSY"],
  },
  restoreWallet: {
    path: WalletPathSchema,
    query: NoQuerySchema,
    body: RestoreWalletSchema,
    success: WalletAnswerSchema,
    errors: ["WALLET_NOT_FOUND", "WALLET_LIMIT_REACHED"],
  },
  listWalletEvents: {
    path: WalletPathSchema,
    query: WalletEventsQuerySchema,
    success: WalletEventPageSchema,
    errors: ["WALLET_NOT_FOUND"],
  },
  listWalletsV2: {
    query: ListWalletsQuerySchema,
    success: WalletPageSchema,
    errors: ["INVALID_REQUEST"],
  },
} as const satisfies Record<RestOperationName, OperationSchemas>;

type Schemas = typeof schemas;
type InputPart<Name extends RestOperationName, Part extends string> = Schemas[Name] extends {
  [P in Part]: infer Schema extends v.GenericSchema;
}
  ? v.InferOutput<Schema>
  : undefined;

/** The parsed request of an operation. A part without a schema is undefined. */
export type Request<Name extends RestOperationName> = {
  path: InputPart<Name, "path">;
  query: InputPart<Name, "query">;
  headers: InputPart<Name, "headers">;
  body: InputPart<Name, "body">;
};

/** The body of an operation's success. */
export type Success<Name extends RestOperationName> = v.InferInput<Schemas[Name]["success"]>;
