import * as v from "valibot";

const keyRule = "must be 1 to 255 printable ASCII characters, bare or as a quoted string";

/** The field of an order that names its key in place of the header. */
export const clientOrderId = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^[\x20-\x7e]{1,255}$/, "must be 1 to 255 printable ASCII characters"),
    v.description(
      "Your own id of the order: another name of the header `Idempotency-Key`. If both are there, they must be equal",
    ),
  ),
);

/**
 * Requires an idempotency key in the headers. Quotes around the key are ignored.
 *
 * @param use a sentence for the API documents that says what happens only once per key.
 */
export const idempotencyHeaders = (use: string) =>
  v.object({
    "Idempotency-Key": v.optional(
      v.pipe(
        v.string(),
        v.trim(),
        v.regex(/^(?:(?!")[\x20-\x7e]+|"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])+")$/, keyRule),
        v.transform((text) => (text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, "$1") : text)),
        v.maxLength(255, keyRule),
        v.description(`1 to 255 printable ASCII characters, bare or as a quoted string. ${use}`),
      ),
    ),
  });
