import * as v from "valibot";

/** ISO 8601 in UTC, with milliseconds. */
export const Timestamp = v.pipe(v.string(), v.isoTimestamp());

export const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** `{message}`: the success of an import, and the errors of the endpoints that speak so. */
export const Message = v.pipe(v.object({ message: v.string() }), v.title("Message"));

/** The general envelope around a success. */
export const envelopeOf = <Data extends v.GenericSchema>(data: Data) =>
  v.object({ success: v.literal(true), data, timestamp: Timestamp });
