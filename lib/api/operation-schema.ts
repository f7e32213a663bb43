import type * as v from "valibot";
import { type HttpErrorCode, statusOfCode } from "./errors.ts";

/** The shape of an error: `{message}`, `{error}`, or `{success:false, error:{code,message}, timestamp}`. */
export type ErrorShape = "message" | "error" | "envelope";

/** Shapes of an operation's errors, below 500 and from 500 on. */
export type ErrorShapes = { client: ErrorShape; server: ErrorShape };

/** Error shapes of operations that define none of their own. */
export const envelopes: ErrorShapes = { client: "envelope", server: "envelope" };

/** The input and output of an operation. */
export type OperationSchemas = {
  path?: v.GenericSchema;
  query?: v.GenericSchema;
  body?: v.GenericSchema;
  /** Headers that the operation reads, by their usual names. Other headers are ignored. */
  headers?: v.GenericSchema;
  /** Body of a 200, or NoContentSchema for a 204. Fields not listed here never leave the service. */
  success: v.GenericSchema;
  /** Descriptions of the headers that are added to a successful response of this operation. */
  answerHeaders?: Readonly<Record<string, string>>;
  /** Errors of this operation, besides the errors that any request with such input may get. */
  errors?: readonly HttpErrorCode[];
  /** Statuses of codes that have another status elsewhere. */
  statuses?: { readonly [Code in HttpErrorCode]?: number };
  errorShapes?: ErrorShapes;
  /** True for a POST that is safe to repeat without an Idempotency-Key: the second request changes nothing. */
  isRepeatable?: true;
  /** Detail of IDEMPOTENCY_KEY_REUSED: the id of the record that the key created. */
  keyMakes?: "orderId" | "walletId" | "redemptionId";
};

/** Returns the status of an error, of an operation with these statuses of its own. */
export const httpStatusOf = (code: HttpErrorCode, statuses: OperationSchemas["statuses"] = {}): number =>
  statuses[code] ?? statusOfCode[code];
