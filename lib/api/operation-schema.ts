import type * as v from "valibot";
import type { HttpErrorCode } from "./errors.ts";

/** The shape of an error: `{message}`, `{error}`, or `{success:false, error:{code,message}, timestamp}`. */
export type ErrorShape = "message" | "error" | "envelope";

/** The shapes of errors below 500, and from 500 on. */
export type ErrorShapes = { client: ErrorShape; server: ErrorShape };

/** The shapes of operations that name no others. */
export const envelopes: ErrorShapes = { client: "envelope", server: "envelope" };

/** The input and output of an operation. */
export type OperationSchemas = {
  path?: v.GenericSchema;
  query?: v.GenericSchema;
  body?: v.GenericSchema;
  /** Headers by their usual names. A request's other headers are not read. */
  headers?: v.GenericSchema;
  /** The body of a 200, or NoContentSchema for a 204. Fields that it does not list never leave the service. */
  success: v.GenericSchema;
  /** Descriptions of headers that only this operation's success has. */
  answerHeaders?: Readonly<Record<string, string>>;
  /** The operation's own errors, in addition to those of every request with such input. */
  errors?: readonly HttpErrorCode[];
  errorShapes?: ErrorShapes;
  /** A POST without an Idempotency-Key that may arrive twice: the second changes nothing. */
  isRepeatable?: true;
  /** The detail of IDEMPOTENCY_KEY_REUSED: the id of the record that the key has created. */
  keyMakes?: "orderId" | "walletId" | "redemptionId";
};
