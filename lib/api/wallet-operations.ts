import type { OperationSchemas } from "./operation-schema.ts";
import { MessageSchema, NoQuerySchema } from "./scalars.ts";
import {
  ImportKeysAnswerSchema,
  ImportSealedWalletHeadersSchema,
  ImportSealedWalletSchema,
} from "./sealed-wallet-schema.ts";
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

export const storeWallet = {
  body: ImportWalletSchema,
  success: MessageSchema,
  errors: ["INVALID_PRIVATE_KEY", "WALLET_LIMIT_REACHED"],
  errorShapes: { client: "message", server: "message" },
  isRepeatable: true,
} as const satisfies OperationSchemas;

export const listWallets = {
  success: WalletsSchema,
  errorShapes: { client: "message", server: "error" },
} as const satisfies OperationSchemas;

export const importWallet = {
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
  keyMakes: "walletId",
} as const satisfies OperationSchemas;

export const listImportKeys = {
  query: NoQuerySchema,
  success: ImportKeysAnswerSchema,
} as const satisfies OperationSchemas;

export const createWallet = {
  query: NoQuerySchema,
  headers: CreateWalletHeadersSchema,
  body: CreateWalletSchema,
  success: WalletAnswerSchema,
  answerHeaders: {
    "Idempotent-Replayed": "`true` if the key made the wallet before. The response shows its current state.",
  },
  errors: ["IDEMPOTENCY_KEY_MISSING", "IDEMPOTENCY_KEY_REUSED", "WALLET_LIMIT_REACHED", "WALLET_NOT_FOUND"],
  keyMakes: "walletId",
} as const satisfies OperationSchemas;

export const updateWallet = {
  path: WalletPathSchema,
  query: NoQuerySchema,
  body: UpdateWalletSchema,
  success: WalletAnswerSchema,
  errors: ["WALLET_NOT_FOUND"],
} as const satisfies OperationSchemas;

export const getWalletPolicy = {
  path: WalletPathSchema,
  query: NoQuerySchema,
  success: PolicyAnswerSchema,
  errors: ["WALLET_NOT_FOUND"],
} as const satisfies OperationSchemas;

export const setWalletPolicy = {
  path: WalletPathSchema,
  query: NoQuerySchema,
  body: GivenPolicySchema,
  success: PolicyAnswerSchema,
  errors: ["WALLET_NOT_FOUND", "SIGN_IN_REQUIRED"],
} as const satisfies OperationSchemas;

export const retireWallet = {
  path: WalletPathSchema,
  query: NoQuerySchema,
  success: RetiredAnswerSchema,
  errors: ["WALLET_NOT_FOUND", "WALLET_BUSY"],
} as const satisfies OperationSchemas;

export const restoreWallet = {
  path: WalletPathSchema,
  query: NoQuerySchema,
  body: RestoreWalletSchema,
  success: WalletAnswerSchema,
  errors: ["WALLET_NOT_FOUND", "WALLET_LIMIT_REACHED"],
  isRepeatable: true,
} as const satisfies OperationSchemas;

export const listWalletEvents = {
  path: WalletPathSchema,
  query: WalletEventsQuerySchema,
  success: WalletEventPageSchema,
  errors: ["WALLET_NOT_FOUND"],
} as const satisfies OperationSchemas;

export const listWalletsV2 = {
  query: ListWalletsQuerySchema,
  success: WalletPageSchema,
} as const satisfies OperationSchemas;
