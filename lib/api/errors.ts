import * as v from "valibot";
import type { DomainErrorCode } from "../domain/domain-error.ts";
import { MessageSchema, TimestampSchema } from "./scalars.ts";

/**
 * Every error code that leaves the service. An HTTP answer, a message of the stream and the result of an execution each
 * pick theirs below.
 */
export type ErrorCode =
  | DomainErrorCode
  | "INVALID_REQUEST"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "INVALID_JSON"
  | "INVALID_MESSAGE"
  | "UNKNOWN_TYPE"
  | "UNKNOWN_CHANNEL"
  | "NOT_CONNECTED"
  | "RATE_LIMITED"
  | "UNKNOWN_USER"
  | "INTERNAL_ERROR";

/** The codes of HTTP answers, each with its status. Any domain error may end a request. */
export const statusOfCode = {
  INVALID_REQUEST: 400,
  INVALID_PRIVATE_KEY: 400,
  INVALID_SETTING: 400,
  WALLET_LIMIT_REACHED: 403,
  UNSUPPORTED_MEDIA_TYPE: 415,
  INTERNAL_ERROR: 500,
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
  "INTERNAL_ERROR",
] as const satisfies ErrorCode[];

/** An error as a caller sees it. The message names the field at fault, never a value, a cause or a stack. */
export type ErrorAnswer = { code: HttpErrorCode; message: string };

/** `{error}`: used by some endpoints, and by the gateway. */
const ErrorBodySchema = v.pipe(v.object({ error: v.string() }), v.title("Error"));

/** A 401. `needsRefresh` is present, and true, only if the token has expired. */
export const UnauthorizedBodySchema = v.pipe(
  v.object({ error: v.string(), needsRefresh: v.optional(v.literal(true)) }),
  v.title("Unauthorized"),
);

/** The general envelope around an error. */
const ErrorEnvelopeSchema = v.pipe(
  v.object({
    success: v.literal(false),
    error: v.object({ code: v.picklist(Object.keys(statusOfCode)), message: v.string() }),
    timestamp: TimestampSchema,
  }),
  v.title("ErrorEnvelope"),
);

/** The error body for each `ErrorShape` of the table of operations. */
export const errorBodies = { message: MessageSchema, error: ErrorBodySchema, envelope: ErrorEnvelopeSchema };
