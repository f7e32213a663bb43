import type * as v from "valibot";
import type { HttpErrorCode } from "./errors.ts";

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
};
