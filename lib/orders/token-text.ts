const longestSymbol = 32;
const longestName = 64;

/**
 * Accepts letters, digits, punctuation and visible symbols. Excludes combining marks, which could pile up, and all
 * other characters, which could reverse the text.
 */
const printable = /^(?:[\p{L}\p{N}\p{P}\p{S}](?<![\p{Default_Ignorable_Code_Point}\u2800]))+$/u;

/** Shortens an address for people to read. */
export const shortAddress = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

/** Returns a token's symbol if it can be shown unchanged. */
export const shownSymbol = (text: string | undefined): string | undefined =>
  text !== undefined && printable.test(text) && [...text].length <= longestSymbol ? text : undefined;

/** Returns a token's name if it can be shown unchanged. A name may have several words. */
export const shownName = (text: string | undefined): string | undefined =>
  text?.split(" ").every((word) => printable.test(word)) && [...text].length <= longestName
    ? text
    : undefined;
