import * as v from "valibot";

/** ISO 8601 in UTC, with milliseconds. The schema is lax, since it reads data stored by earlier versions. */
export const TimestampSchema = v.pipe(v.string(), v.isoTimestamp());

const timestampRule = "must be an ISO 8601 timestamp, such as 2026-01-31T09:30:00.000Z";
const timestampPattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * A timestamp from outside, in any time zone, converted to UTC with milliseconds. Clients compare timestamps as text.
 */
export const GivenTimestampSchema = v.pipe(
  v.string(timestampRule),
  v.check(isTimestamp, timestampRule),
  v.transform((text) => new Date(text).toISOString()),
);

function isTimestamp(text: string): boolean {
  const [, local] = timestampPattern.exec(text) ?? [];
  if (local === undefined || Number.isNaN(Date.parse(text))) return false;
  // JavaScript reads February 31 as March 3.
  return new Date(`${local}Z`).toISOString().startsWith(local);
}

/** Refuses numbers with more decimal places: rounding would turn them into others. */
export const decimalPlaces = (most: number) =>
  v.check(
    (value: number) => Number(value.toFixed(most)) === value,
    `must have at most ${most} decimal places`,
  );

export const ThumbprintSchema = v.pipe(
  v.string(),
  v.description("The thumbprint (RFC 7638) of the public key to which the wallet is exported"),
);

export const CountSchema = v.pipe(v.number(), v.integer(), v.minValue(0));

/** `{message}`: the success of an import, and the errors of some endpoints. */
export const MessageSchema = v.pipe(v.object({ message: v.string() }), v.title("Message"));

/** The general envelope around a success. */
export const envelopeOf = <Data extends v.GenericSchema>(data: Data) =>
  v.object({ success: v.literal(true), data, timestamp: TimestampSchema });

/** Operations without query parameters use it, so that a mistaken one is not ignored. */
export const NoQuerySchema = v.strictObject({});

/** The success of an operation that answers 204. */
export const NoContentSchema = v.undefined();
