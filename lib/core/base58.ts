import bs58 from "bs58";

/** Maximum number of base58 digits for 32 and for 64 bytes. */
const mostDigits = { 32: 44, 64: 88 };

/**
 * Decodes base58 text of at most `most` bytes. Rejects longer text first, because decoding takes quadratic time.
 * @returns undefined if the text is too long or is not base58.
 */
export const base58Bytes = (text: string, most: keyof typeof mostDigits): Uint8Array | undefined =>
  text.length <= mostDigits[most] ? bs58.decodeUnsafe(text) : undefined;

/** True if a text is base58 of exactly this many bytes. */
export const isBase58 = (text: string, length: keyof typeof mostDigits): boolean =>
  base58Bytes(text, length)?.length === length;

// Wraps the package in a function, so that bundles that do not call it leave the package out. A direct import would
// stay in the bundle.
export const encodeBase58 = (bytes: Uint8Array): string => bs58.encode(bytes);

/** @throws {Error} if the text is not base58. */
export const decodeBase58 = (text: string): Uint8Array => bs58.decode(text);
