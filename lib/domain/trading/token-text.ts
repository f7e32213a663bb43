const longestSymbol = 32;
const longestName = 64;

/** Letters, digits, punctuation and symbols that take up room. Marks could pile up, and others turn the text around. */
const printable = /^(?:[\p{L}\p{N}\p{P}\p{S}](?<![\p{Default_Ignorable_Code_Point}\u2800]))+$/u;

/** An address that is short enough to be read. */
export const shortAddress = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

/** A token's symbol, if it can be shown as it is. */
export const shownSymbol = (text: string | undefined): string | undefined =>
  text !== undefined && printable.test(text) && [...text].length <= longestSymbol ? text : undefined;

/** A token's name, if it can be shown as it is. It may have several words. */
export const shownName = (text: string | undefined): string | undefined =>
  text?.split(" ").every((word) => printable.test(word)) && [...text].length <= longestName
    ? text
    : undefined;

/** Letters of other alphabets, and the capital Latin ones that they look like. */
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

/** What a symbol looks like: without case, marks, invisible characters and other alphabets' letters. */
const looksOf = (symbol: string): string =>
  [...symbol.normalize("NFKD").toUpperCase()]
    .filter((character) => !/[\p{M}\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u.test(character))
    .map((character) => lookAlikes.get(character) ?? character)
    .join("");

/** Whether people would take one symbol for the other. */
export const looksLike = (symbol: string, other: string): boolean => looksOf(symbol) === looksOf(other);
