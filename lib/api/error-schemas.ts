import * as v from "valibot";
import type { DomainErrorCode, DomainErrorDetails } from "../core/domain-error.ts";
import { orderStatuses } from "../core/execution-words.ts";
import { networks } from "../core/network.ts";
import { scopes } from "../core/scope.ts";
import { tokenFlags } from "../core/token-flag.ts";
import { decimalFormat } from "./documented.ts";
import { type HttpErrorCode, statusOfCode } from "./errors.ts";
import { MessageSchema, TimestampSchema } from "./scalars.ts";

const AmountText = v.pipe(v.string(), decimalFormat());
const Percent = v.number();
const Gwei = v.pipe(v.string(), decimalFormat());

/** Details of errors in the general envelope, by error code. Errors with other codes have no details. */
const detailsOfCode = {
  INVALID_REQUEST: v.object({ field: v.string() }),
  IDEMPOTENCY_KEY_MISSING: v.object({ field: v.string() }),
  IDEMPOTENCY_KEY_REUSED: v.union([
    v.object({ orderId: v.string() }),
    v.object({ walletId: v.string() }),
    v.object({ redemptionId: v.string() }),
  ]),
  UNSUPPORTED_CHAIN: v.object({ chains: v.array(v.picklist(networks)) }),
  NO_ROUTE: v.optional(v.object({ reason: v.literal("ROUTE_NEEDS_JUPITER") })),
  INSUFFICIENT_BALANCE: v.object({
    token: v.string(),
    symbol: v.string(),
    needed: AmountText,
    available: AmountText,
    forExits: v.exactOptional(AmountText),
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
    v.object({
      rule: v.literal("networkFeesPerDay"),
      limit: AmountText,
      requested: AmountText,
      resetsAt: TimestampSchema,
    }),
  ]),
  KEY_LIMIT: v.variant("rule", [
    v.object({ rule: v.picklist(["expiresAt", "scopes", "chains", "wallets", "tokens"]) }),
    v.object({ rule: v.picklist(["maxPerOrder", "maxPerDay"]), limit: AmountText, requested: AmountText }),
  ]),
  SIGN_IN_REQUIRED: v.object({ maxAgeSeconds: v.number() }),
  SCOPE_MISSING: v.object({ scope: v.nullable(v.picklist(scopes)) }),
  KEY_LIMIT_REACHED: v.object({ limit: v.number() }),
  EXPORT_LIMIT_REACHED: v.object({ limit: v.number() }),
  DEVICE_LIMIT_REACHED: v.object({ limit: v.number() }),
  EXPORT_LOCKED: v.object({ unlocksAt: v.exactOptional(TimestampSchema) }),
  NO_REFERENCE: v.object({ field: v.literal("minAmountOut") }),
  PRICE_IMPACT_TOO_HIGH: v.object({ priceImpact: Percent, limit: Percent }),
  GAS_PRICE_TOO_HIGH: v.object({ gasPrice: Gwei, limit: Gwei }),
  PRIORITY_FEE_TOO_LOW: v.object({ priorityFee: AmountText, least: AmountText }),
  TOKEN_UNSAFE: v.object({
    flags: v.array(v.picklist(tokenFlags)),
    buyTax: v.nullable(Percent),
    sellTax: v.nullable(Percent),
  }),
  WOULD_FIRE_NOW: v.object({
    price: AmountText,
    roundTrip: v.exactOptional(AmountText),
    exit: v.exactOptional(v.number()),
  }),
  EXITS_UNAVAILABLE: v.object({ reason: v.picklist(["ROUTE_NEEDS_JUPITER", "CANNOT_SELL"]) }),
  TOO_MANY_RESTING: v.object({ limit: v.number() }),
  ALREADY_HELD: v.object({ positionId: v.exactOptional(v.string()) }),
  LIQUIDITY_TOO_LOW: v.object({ liquidity: AmountText, least: AmountText }),
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
    // Makes the details optional: if a body is not a JSON object, the error names no field.
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

/** `{error}`: the error body of some endpoints and of the gateway. */
const ErrorBodySchema = v.pipe(v.object({ error: v.string() }), v.title("Error"));

/** Body of a 401. `needsRefresh` is true if the token has expired, and absent if not. */
export const UnauthorizedBodySchema = v.pipe(
  v.object({ error: v.string(), needsRefresh: v.optional(v.literal(true)) }),
  v.title("Unauthorized"),
);

/** Envelope of an error in its general form. */
export const ErrorEnvelopeSchema = v.pipe(
  v.object({
    success: v.literal(false),
    error: EnvelopeErrorSchema,
    timestamp: TimestampSchema,
  }),
  v.title("ErrorEnvelope"),
);

/** Error body for each `ErrorShape`. */
export const errorBodies = { message: MessageSchema, error: ErrorBodySchema, envelope: ErrorEnvelopeSchema };
