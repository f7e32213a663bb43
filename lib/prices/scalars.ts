import * as v from "valibot";

/** A positive decimal number as text: no sign, no exponent, and no more digits than a price can have. */
export const PositiveDecimal = v.pipe(
  v.string(),
  v.regex(/^(0|[1-9]\d{0,17})(\.\d{1,30})?$/),
  v.regex(/[1-9]/),
);

const plain = new Intl.NumberFormat("en-US", { useGrouping: false, maximumFractionDigits: 100 });

/** The shortest decimal that reads as this number, without an exponent. */
export const decimalText = (number: number): string => plain.format(number);

/** RFC 3339, with any fraction of a second. */
export const VenueTime = v.pipe(
  v.string(),
  v.isoTimestamp(),
  v.transform((text) => new Date(text)),
  v.date(),
);
