import type * as v from "valibot";
import type { RestOperationName } from "../operations/operations.ts";
import type { OperationSchemas } from "./operation-schema.ts";
import { rewardSchemas } from "./redemption-schema.ts";
import { MessageSchema, NoContentSchema, NoQuerySchema } from "./scalars.ts";
import {
  ExportCancelledAnswerSchema,
  ExportLockAnswerSchema,
  ExportWalletSchema,
  ImportKeysAnswerSchema,
  ImportSealedWalletHeadersSchema,
  ImportSealedWalletSchema,
  LockExportsSchema,
  WalletExportAnswerSchema,
} from "./sealed-wallet-schema.ts";
import {
  ChainPathSchema,
  IfMatchHeadersSchema,
  IfNoneMatchHeadersSchema,
  SettingsAnswerSchema,
  SettingsPatchSchema,
  SettingsRecordSchema,
} from "./settings-schema.ts";
import { tradingSchemas } from "./trading-schemas.ts";
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

const settingsTag = { ETag: 'The version of the settings for If-Match, such as `"5"`; `"0"` for defaults.' };

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
        "The token until it expires: HttpOnly, Secure, and sent only from pages of the API's own site.",
    },
    errors: ["INVALID_REQUEST"],
  },
  endSession: {
    query: NoQuerySchema,
    success: NoContentSchema,
    answerHeaders: { "Set-Cookie": "The cookie with an empty value, so that the browser removes it." },
  },
  updateTradingSettings: {
    path: ChainPathSchema,
    headers: IfMatchHeadersSchema,
    body: SettingsPatchSchema,
    success: SettingsRecordSchema,
    answerHeaders: settingsTag,
    errors: ["INVALID_SETTING", "PRECONDITION_FAILED"],
  },
  getTradingSettings: {
    path: ChainPathSchema,
    query: NoQuerySchema,
    headers: IfNoneMatchHeadersSchema,
    success: SettingsAnswerSchema,
    answerHeaders: settingsTag,
  },
  getUserData: { query: UserDataQuerySchema, success: UserDataSchema },
  ...rewardSchemas,
  ...tradingSchemas,
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
      "EXPORT_LOCKED",
    ],
  },
  cancelExport: {
    path: WalletPathSchema,
    query: NoQuerySchema,
    success: ExportCancelledAnswerSchema,
    errors: ["EXPORT_DISABLED", "EXPORT_NOT_FOUND"],
  },
  lockExports: {
    query: NoQuerySchema,
    body: LockExportsSchema,
    success: ExportLockAnswerSchema,
    errors: ["EXPORT_DISABLED"],
  },
  unlockExports: { query: NoQuerySchema, success: ExportLockAnswerSchema, errors: ["EXPORT_DISABLED"] },
  getExportLock: { query: NoQuerySchema, success: ExportLockAnswerSchema, errors: ["EXPORT_DISABLED"] },
  importWallet: {
    query: NoQuerySchema,
    headers: ImportSealedWalletHeadersSchema,
    body: ImportSealedWalletSchema,
    success: WalletAnswerSchema,
    answerHeaders: {
      "Idempotent-Replayed":
        "`true` if the key imported the wallet before. The response shows its current state.",
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
      "Idempotent-Replayed":
        "`true` if the key made the wallet before. The response shows its current state.",
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
