import bs58 from "bs58";

/** The most digits of that many bytes. */
const mostDigits = { 32: 44, 64: 88 };

/**
 * Decodes base58 of at most 32 or 64 bytes. Decoding takes quadratic time, so longer text is not even tried.
 *
 * @returns undefined for any other text.
 */
export const base58Bytes = (text: string, most: keyof typeof mostDigits): Uint8Array | undefined =>
  text.length <= mostDigits[most] ? bs58.decodeUnsafe(text) : undefined;

/** True for base58 of exactly that many bytes. */
export const isBase58 = (text: string, length: keyof typeof mostDigits): boolean =>
  base58Bytes(text, length)?.length === length;

// Functions that import these leave out the package unless they call them. An import of the package itself would stay.
export const encodeBase58 = (bytes: Uint8Array): string => bs58.encode(bytes);

/** @throws {Error} if the text is not base58. */
export const decodeBase58 = (text: string): Uint8Array => bs58.decode(text);
