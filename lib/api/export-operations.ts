import type { OperationSchemas } from "./operation-schema.ts";
import { NoQuerySchema } from "./scalars.ts";
import {
  ExportCancelledAnswerSchema,
  ExportLockAnswerSchema,
  ExportWalletSchema,
  LockExportsSchema,
  WalletExportAnswerSchema,
} from "./sealed-wallet-schema.ts";
import { WalletPathSchema } from "./wallet-request-schema.ts";

export const exportWallet = {
  path: WalletPathSchema,
  query: NoQuerySchema,
  body: ExportWalletSchema,
  success: WalletExportAnswerSchema,
  errors: [
    "SIGN_IN_REQUIRED",
    "EXPORT_DISABLED",
    "WALLET_NOT_FOUND",
    "EXPORT_NOT_FOUND",
    "EXPORT_LIMIT_REACHED",
    "EXPORT_LOCKED",
  ],
  isRepeatable: true,
} as const satisfies OperationSchemas;

export const cancelExport = {
  path: WalletPathSchema,
  query: NoQuerySchema,
  success: ExportCancelledAnswerSchema,
  errors: ["EXPORT_DISABLED", "EXPORT_NOT_FOUND"],
} as const satisfies OperationSchemas;

export const lockExports = {
  query: NoQuerySchema,
  body: LockExportsSchema,
  success: ExportLockAnswerSchema,
  errors: ["EXPORT_DISABLED"],
  isRepeatable: true,
} as const satisfies OperationSchemas;

export const unlockExports = {
  query: NoQuerySchema,
  success: ExportLockAnswerSchema,
  errors: ["SIGN_IN_REQUIRED", "EXPORT_DISABLED"],
} as const satisfies OperationSchemas;

export const getExportLock = {
  query: NoQuerySchema,
  success: ExportLockAnswerSchema,
  errors: ["EXPORT_DISABLED"],
} as const satisfies OperationSchemas;
