import * as v from "valibot";

/**
 * A time in ISO 8601, UTC, with milliseconds. The schema is lax, because it also reads data stored by earlier versions.
 */
export const TimestampSchema = v.pipe(v.string(), v.isoTimestamp());

const timestampRule = "must be an ISO 8601 timestamp, such as 2026-01-31T09:30:00.000Z";
const timestampPattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** Converts a timestamp from any time zone to UTC with milliseconds, because clients compare timestamps as text. */
export const GivenTimestampSchema = v.pipe(
  v.string(timestampRule),
  v.check(isTimestamp, timestampRule),
  v.transform((text) => new Date(text).toISOString()),
);

function isTimestamp(text: string): boolean {
  const [, local] = timestampPattern.exec(text) ?? [];
  if (local === undefined || Number.isNaN(Date.parse(text))) return false;
  // Rejects dates such as February 31, which JavaScript reads as March 3.
  return new Date(`${local}Z`).toISOString().startsWith(local);
}

/** Refuses numbers with more decimal places, because rounding would change them. */
export const decimalPlaces = (most: number) =>
  v.check(
    (value: number) => Number(value.toFixed(most)) === value,
    `must have at most ${most} decimal places`,
  );

/** A percentage in a request, within limits. */
export const percentWithin = (least: number, most: number, description: string) =>
  v.pipe(v.number(), v.minValue(least), v.maxValue(most), decimalPlaces(4), v.description(description));

/** A percentage above 0 in a request. */
export const GivenPercentSchema = percentWithin(0.0001, 100, "Percent, with at most 4 decimal places");

/** A whole number in a request, within limits. */
export const wholeInRange = (least: number, most: number, description: string) =>
  v.pipe(
    v.number(),
    v.integer("must be a whole number"),
    v.minValue(least),
    v.maxValue(most),
    v.description(description),
  );

export const ThumbprintSchema = v.pipe(
  v.string(),
  v.description("Thumbprint (RFC 7638) of the public key that the wallet is exported to"),
);

/** Parses base64url without padding. Each value has only one accepted form. */
export const base64urlOf = (lengths: readonly number[], what: string) => {
  const rule = `must be ${lengths.join(" or ")} bytes in base64url without padding`;
  return v.pipe(
    v.string(rule),
    v.check((text) => {
      const bytes = Buffer.from(text, "base64url");
      return lengths.includes(bytes.length) && bytes.toString("base64url") === text;
    }, rule),
    v.description(what),
  );
};

export const CountSchema = v.pipe(v.number(), v.integer(), v.minValue(0));

/** `{message}`: the body of a successful import, and of errors of some endpoints. */
export const MessageSchema = v.pipe(v.object({ message: v.string() }), v.title("Message"));

/** Wraps the data of a success in the general envelope. */
export const envelopeOf = <Data extends v.GenericSchema>(data: Data) =>
  v.object({ success: v.literal(true), data, timestamp: TimestampSchema });

/** Refuses all query parameters; otherwise a mistaken one would be ignored silently. */
export const NoQuerySchema = v.strictObject({});

/** Empty body of a 204 response. */
export const NoContentSchema = v.undefined();
