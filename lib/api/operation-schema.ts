import type * as v from "valibot";
import type { HttpErrorCode } from "./errors.ts";

/** The input and output of an operation. */
export type OperationSchemas = {
  path?: v.GenericSchema;
  query?: v.GenericSchema;
  body?: v.GenericSchema;
  /** By their usual names. Headers of other operations are not read. */
  headers?: v.GenericSchema;
  /** The body of a 200, or NoContentSchema for a 204. A field that it does not list never leaves the service. */
  success: v.GenericSchema;
  /** What the headers of a success mean that only this operation has. */
  answerHeaders?: Readonly<Record<string, string>>;
  /** The errors that it may end in, beside those of every request with such input. */
  errors?: readonly HttpErrorCode[];
};
