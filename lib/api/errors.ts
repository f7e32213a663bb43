import type { DomainErrorCode } from "../core/domain-error.ts";

/** Every error code that leaves the service, in HTTP responses, stream messages or results of executions. */
export type ErrorCode =
  | DomainErrorCode
  | "UNSUPPORTED_MEDIA_TYPE"
  | "INVALID_JSON"
  | "INVALID_MESSAGE"
  | "UNKNOWN_TYPE"
  | "UNKNOWN_CHANNEL"
  | "NOT_CONNECTED"
  | "TOO_MANY_TOKENS"
  | "RATE_LIMITED"
  | "UNKNOWN_USER"
  | "NOT_YOURS"
  | "CHAIN_UNAVAILABLE"
  | "SCOPE_MISSING"
  | "INTERNAL_ERROR";

/** Codes of HTTP responses, each with its status. Every code of a domain error may occur. */
export const statusOfCode = {
  INVALID_REQUEST: 400,
  IDEMPOTENCY_KEY_MISSING: 400,
  INVALID_PRIVATE_KEY: 400,
  UNKNOWN_IMPORT_KEY: 400,
  INVALID_CIPHERTEXT: 400,
  INVALID_SETTING: 400,
  UNSUPPORTED_CHAIN: 400,
  NO_ROUTE: 400,
  AMOUNT_TOO_SMALL: 400,
  INSUFFICIENT_BALANCE: 400,
  INSUFFICIENT_POINTS: 400,
  WALLET_LIMIT_REACHED: 403,
  TRADING_DISABLED: 403,
  MARKETS_DISABLED: 403,
  POLICY_LIMIT: 403,
  KEY_LIMIT: 403,
  SIGN_IN_REQUIRED: 403,
  SCOPE_MISSING: 403,
  KEY_LIMIT_REACHED: 403,
  EXPORT_DISABLED: 403,
  EXPORT_LIMIT_REACHED: 403,
  EXPORT_LOCKED: 403,
  DEVICES_DISABLED: 403,
  DEVICE_LIMIT_REACHED: 403,
  WALLET_NOT_FOUND: 404,
  KEY_NOT_FOUND: 404,
  EXPORT_NOT_FOUND: 404,
  TOKEN_NOT_FOUND: 404,
  ORDER_NOT_FOUND: 404,
  REWARD_NOT_FOUND: 404,
  DEVICE_NOT_FOUND: 404,
  ADDRESS_MISMATCH: 409,
  NO_REFERENCE: 409,
  PRICE_IMPACT_TOO_HIGH: 409,
  GAS_PRICE_TOO_HIGH: 409,
  PRIORITY_FEE_TOO_LOW: 409,
  TOKEN_UNSAFE: 409,
  WALLET_BUSY: 409,
  ORDER_NOT_CANCELLABLE: 409,
  WOULD_FIRE_NOW: 409,
  EXITS_UNAVAILABLE: 409,
  TOO_MANY_RESTING: 409,
  AUTO_BUY_OFF: 409,
  NO_PRESET: 409,
  ALREADY_HELD: 409,
  LIQUIDITY_TOO_LOW: 409,
  REWARD_UNAVAILABLE: 409,
  OUT_OF_STOCK: 409,
  PRECONDITION_FAILED: 412,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_KEY_REUSED: 422,
  LOOK_LIMIT_REACHED: 429,
  INTERNAL_ERROR: 500,
  CHAIN_UNAVAILABLE: 503,
  REWARD_BUSY: 503,
} as const satisfies Record<DomainErrorCode, number> & { [Code in ErrorCode]?: number };

export type HttpErrorCode = keyof typeof statusOfCode;

/** Codes with one of these statuses. */
export type CodeOf<Status extends number> = {
  [Code in HttpErrorCode]: (typeof statusOfCode)[Code] extends Status ? Code : never;
}[HttpErrorCode];

/** The codes of error messages on the stream. */
export const messageErrorCodes = [
  "INVALID_JSON",
  "INVALID_MESSAGE",
  "UNKNOWN_TYPE",
  "UNKNOWN_CHANNEL",
  "NOT_CONNECTED",
  "UNSUPPORTED_CHAIN",
  "TOO_MANY_TOKENS",
  "MARKETS_DISABLED",
  "RATE_LIMITED",
  "INTERNAL_ERROR",
] as const satisfies ErrorCode[];

export type MessageErrorCode = (typeof messageErrorCodes)[number];

/** Codes of errors in recording executions. */
export const executionErrorCodes = [
  "INVALID_REQUEST",
  "UNKNOWN_USER",
  "NOT_YOURS",
  "INTERNAL_ERROR",
] as const satisfies ErrorCode[];

/** An error as callers see it. The message names the field at fault, but never a value, a cause or a stack. */
export type ErrorAnswer = { code: HttpErrorCode; message: string; details?: object | undefined };
