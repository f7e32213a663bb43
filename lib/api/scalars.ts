import * as v from "valibot";

/** ISO 8601 in UTC, with milliseconds. */
export const TimestampSchema = v.pipe(v.string(), v.isoTimestamp());

export const CountSchema = v.pipe(v.number(), v.integer(), v.minValue(0));

/** `{message}`: the success of an import, and the errors of some endpoints. */
export const MessageSchema = v.pipe(v.object({ message: v.string() }), v.title("Message"));

/** The general envelope around a success. */
export const envelopeOf = <Data extends v.GenericSchema>(data: Data) =>
  v.object({ success: v.literal(true), data, timestamp: TimestampSchema });
