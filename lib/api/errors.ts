import * as v from "valibot";
import type { DomainErrorCode, DomainErrorDetails } from "../core/domain-error.ts";
import { orderStatuses } from "../core/execution-words.ts";
import { networks } from "../core/network.ts";
import { tokenFlags } from "../core/token-flag.ts";
import { MessageSchema, TimestampSchema } from "./scalars.ts";

/**
 * Every error code that leaves the service. HTTP responses, messages of the stream and results of executions choose
 * theirs below.
 */
export type ErrorCode =
  | DomainErrorCode
  | "UNSUPPORTED_MEDIA_TYPE"
  | "INVALID_JSON"
  | "INVALID_MESSAGE"
  | "UNKNOWN_TYPE"
  | "UNKNOWN_CHANNEL"
  | "NOT_CONNECTED"
  | "RATE_LIMITED"
  | "UNKNOWN_USER"
  | "NOT_YOURS"
  | "CHAIN_UNAVAILABLE"
  | "INTERNAL_ERROR";

/** The codes of HTTP responses, each with its status. Any domain error may end a request. */
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
  POLICY_LIMIT: 403,
  EXPORT_DISABLED: 403,
  EXPORT_LIMIT_REACHED: 403,
  EXPORT_LOCKED: 403,
  WALLET_NOT_FOUND: 404,
  EXPORT_NOT_FOUND: 404,
  TOKEN_NOT_FOUND: 404,
  ORDER_NOT_FOUND: 404,
  REWARD_NOT_FOUND: 404,
  ADDRESS_MISMATCH: 409,
  PRICE_IMPACT_TOO_HIGH: 409,
  GAS_PRICE_TOO_HIGH: 409,
  TOKEN_UNSAFE: 409,
  WALLET_BUSY: 409,
  ORDER_NOT_CANCELLABLE: 409,
  REWARD_UNAVAILABLE: 409,
  OUT_OF_STOCK: 409,
  PRECONDITION_FAILED: 412,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_KEY_REUSED: 422,
  INTERNAL_ERROR: 500,
  CHAIN_UNAVAILABLE: 503,
  REWARD_BUSY: 503,
} as const satisfies Record<DomainErrorCode, number> & { [Code in ErrorCode]?: number };

export type HttpErrorCode = keyof typeof statusOfCode;

/** The codes of error messages on the stream. */
export const messageErrorCodes = [
  "INVALID_JSON",
  "INVALID_MESSAGE",
  "UNKNOWN_TYPE",
  "UNKNOWN_CHANNEL",
  "NOT_CONNECTED",
  "RATE_LIMITED",
  "INTERNAL_ERROR",
] as const satisfies ErrorCode[];

export type MessageErrorCode = (typeof messageErrorCodes)[number];

/** The codes of executions that could not be recorded. */
export const executionErrorCodes = [
  "INVALID_REQUEST",
  "UNKNOWN_USER",
  "NOT_YOURS",
  "INTERNAL_ERROR",
] as const satisfies ErrorCode[];

/** An error in the form for callers. The message names the field at fault, but never a value, a cause or a stack. */
export type ErrorAnswer = { code: HttpErrorCode; message: string; details?: object | undefined };

const AmountText = v.string();
const Percent = v.number();
const Gwei = v.string();

/** The details of each code in the general envelope. Other codes have none. */
const detailsOfCode = {
  INVALID_REQUEST: v.object({ field: v.string() }),
  IDEMPOTENCY_KEY_MISSING: v.object({ field: v.string() }),
  IDEMPOTENCY_KEY_REUSED: v.union([
    v.object({ orderId: v.string() }),
    v.object({ walletId: v.string() }),
    v.object({ redemptionId: v.string() }),
  ]),
  UNSUPPORTED_CHAIN: v.object({ chains: v.array(v.picklist(networks)) }),
  INSUFFICIENT_BALANCE: v.object({
    token: v.string(),
    symbol: v.string(),
    needed: AmountText,
    available: AmountText,
  }),
  INSUFFICIENT_POINTS: v.object({ needed: v.number(), available: v.number() }),
  POLICY_LIMIT: v.variant("rule", [
    v.object({ rule: v.literal("tradingEnabled") }),
    v.object({ rule: v.literal("maxSlippage"), limit: Percent, requested: Percent }),
    v.object({
      rule: v.picklist(["tokens", "maxOrder", "maxPerOrder", "maxPerDay"]),
      limit: AmountText,
      requested: AmountText,
    }),
  ]),
  EXPORT_LIMIT_REACHED: v.object({ limit: v.number() }),
  EXPORT_LOCKED: v.object({ unlocksAt: v.exactOptional(TimestampSchema) }),
  PRICE_IMPACT_TOO_HIGH: v.object({ priceImpact: Percent, limit: Percent }),
  GAS_PRICE_TOO_HIGH: v.object({ gasPrice: Gwei, limit: Gwei }),
  TOKEN_UNSAFE: v.object({
    flags: v.array(v.picklist(tokenFlags)),
    buyTax: v.nullable(Percent),
    sellTax: v.nullable(Percent),
  }),
  ORDER_NOT_CANCELLABLE: v.object({ status: v.picklist(orderStatuses) }),
} satisfies { [Code in HttpErrorCode]?: v.GenericSchema } & DetailSchemas;

/** A schema for each domain error with details. */
type DetailSchemas = {
  [Code in DomainErrorCode as DomainErrorDetails[Code] extends undefined ? never : Code]: v.GenericSchema<
    DomainErrorDetails[Code]
  >;
};

const withDetails = Object.entries(detailsOfCode).map(([code, details]) =>
  v.object({
    code: v.literal(code),
    message: v.string(),
    // A body that is not a JSON object has no field to name.
    details: code === "INVALID_REQUEST" ? v.optional(details) : details,
  }),
);

const withoutDetails = v.object({
  code: v.picklist(Object.keys(statusOfCode).filter((code) => !(code in detailsOfCode))),
  message: v.string(),
});

/** An error in the general envelope. */
export const EnvelopeErrorSchema = v.pipe(
  v.variant("code", [...withDetails, withoutDetails]),
  v.title("EnvelopeError"),
);

/** `{error}`: the body of some endpoints and of the gateway. */
const ErrorBodySchema = v.pipe(v.object({ error: v.string() }), v.title("Error"));

/** A 401. `needsRefresh` is true if the token has expired, and otherwise absent. */
export const UnauthorizedBodySchema = v.pipe(
  v.object({ error: v.string(), needsRefresh: v.optional(v.literal(true)) }),
  v.title("Unauthorized"),
);

/** The general envelope around an error. */
const ErrorEnvelopeSchema = v.pipe(
  v.object({
    success: v.literal(false),
    error: EnvelopeErrorSchema,
    timestamp: TimestampSchema,
  }),
  v.title("ErrorEnvelope"),
);

/** The error body for each `ErrorShape` of the table of operations. */
export const errorBodies = { message: MessageSchema, error: ErrorBodySchema, envelope: ErrorEnvelopeSchema };
