import { confusablesMap } from "confusables";

/** Texts by which people recognize a token. */
export type TokenNames = { symbol?: string | undefined; name?: string | undefined };

/** Signs that replace letters in names such as U$DC and USD₮. */
const signLetters: Readonly<Record<string, string>> = { $: "S", "|": "l", "₮": "T", "₿": "B" };

const withLetters = (text: string) => text.replaceAll(/[$|₮₿]/g, (sign) => signLetters[sign] ?? sign);

/** Returns the Latin letter or the digit that a letter of another alphabet looks like. */
const latinOf = (character: string) =>
  character > "\u007f" ? (confusablesMap.get(character) ?? character) : character;

/**
 * Reduces a text to its appearance: letters and digits without case and diacritical marks. Letters that look alike
 * become the same.
 */
function looksOf(text: string): string {
  // Some letters resemble a Latin letter as they are, others only once their diacritical marks are removed.
  const latin = [...[...text].map(latinOf).join("").normalize("NFKD")].map(latinOf).join("");
  const letters = latin
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]|[\p{M}\p{Default_Ignorable_Code_Point}]/gu, "");
  return letters.replaceAll("0", "O").replaceAll(/[1I]/g, "L") || text;
}

/**
 * Lists all ways to read a text. A letter's lower and upper case may resemble different letters, and signs may replace
 * letters.
 */
const allLooksOf = (text: string) => [text, text.toUpperCase(), withLetters(text)].map(looksOf);

const looksOfToken = ({ symbol, name }: TokenNames) =>
  [symbol, name].filter((text) => text !== undefined).flatMap(allLooksOf);

/** True if people could mistake one token for the other because of their names. */
export type IsLike = (token: TokenNames) => boolean;

/**
 * Makes a function that is true for a token whose symbol or name people could mistake for one of these names. Ignores
 * case, diacritical marks, signs around and between letters, and differences between alphabets.
 */
export function likenessTo(known: readonly TokenNames[]): IsLike {
  const taken = new Set(known.flatMap(looksOfToken));
  return (token) => looksOfToken(token).some((looks) => taken.has(looks));
}
