import * as v from "valibot";
import { statusOfCode } from "./errors.ts";
import { Message, Timestamp } from "./scalars.ts";

/** `{error}`: the errors of the endpoints that speak so, and of the gateway. */
export const ErrorBody = v.pipe(v.object({ error: v.string() }), v.title("Error"));

/** A 401. `needsRefresh` is there, and true, only when the token has expired. */
export const Unauthorized = v.pipe(
  v.object({ error: v.string(), needsRefresh: v.optional(v.literal(true)) }),
  v.title("Unauthorized"),
);

/** The general envelope around an error. */
export const ErrorEnvelope = v.pipe(
  v.object({
    success: v.literal(false),
    error: v.object({ code: v.picklist(Object.keys(statusOfCode)), message: v.string() }),
    timestamp: Timestamp,
  }),
  v.title("ErrorEnvelope"),
);

/** The body of each form of error that a row of the table of operations may ask for. */
export const errorBodies = { message: Message, error: ErrorBody, envelope: ErrorEnvelope };
