const longestSymbol = 32;
const longestName = 64;

/** Letters, digits, punctuation and visible symbols. Marks could pile up, and others reverse the text. */
const printable = /^(?:[\p{L}\p{N}\p{P}\p{S}](?<![\p{Default_Ignorable_Code_Point}\u2800]))+$/u;

/** Shortens an address for people to read. */
export const shortAddress = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

/** Returns a token's symbol if it can be shown unchanged. */
export const shownSymbol = (text: string | undefined): string | undefined =>
  text !== undefined && printable.test(text) && [...text].length <= longestSymbol ? text : undefined;

/** Returns a token's name if it can be shown unchanged. It may have several words. */
export const shownName = (text: string | undefined): string | undefined =>
  text?.split(" ").every((word) => printable.test(word)) && [...text].length <= longestName
    ? text
    : undefined;

/** Letters of other alphabets, and the Latin capitals that they resemble. */
const lookAlikes = new Map(
  [
    "AАΑ",
    "BВΒ",
    "CСϹ",
    "EЕΕ",
    "HНΗ",
    "IІΙӀ",
    "JЈͿ",
    "KКΚ",
    "MМΜ",
    "NΝ",
    "OОΟՕ",
    "PРΡ",
    "SЅ",
    "TТΤ",
    "XХΧ",
    "YҮΥ",
    "ZΖ",
  ].flatMap(([latin = "", ...others]) => others.map((other) => [other, latin] as const)),
);

/** Reduces a symbol to its looks: without case, marks, invisible characters and letters of other alphabets. */
const looksOf = (symbol: string): string =>
  [...symbol.normalize("NFKD").toUpperCase()]
    .filter((character) => !/[\p{M}\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u.test(character))
    .map((character) => lookAlikes.get(character) ?? character)
    .join("");

/** True if people could confuse the two symbols. */
export const looksLike = (symbol: string, other: string): boolean => looksOf(symbol) === looksOf(other);
