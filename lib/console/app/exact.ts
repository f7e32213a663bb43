import Big from "big.js";

/** Parses decimal text. An unfinished number counts as 0. */
function numberOf(text: string): Big {
  try {
    return new Big(text);
  } catch {
    return new Big(0);
  }
}

/** Adds decimal text, to the last digit. */
export const plus = (a: string, b: string): string => numberOf(a).plus(numberOf(b)).toFixed();

/** Subtracts decimal text, to the last digit. */
export const minus = (from: string, text: string): string => numberOf(from).minus(numberOf(text)).toFixed();

/** Multiplies decimal text, to the last digit. */
export const product = (a: string, b: string): string => numberOf(a).times(numberOf(b)).toFixed();

/** Returns a negative number, 0 or a positive one, as functions that sort expect. */
export const compared = (a: string, b: string): number => numberOf(a).cmp(numberOf(b));

/** Takes a whole percentage of decimal text, rounded down to as many places as the text has. */
export function share(text: string, percent: number): string {
  const places = text.split(".")[1]?.length ?? 0;
  return numberOf(text).times(percent).times("0.01").round(places, Big.roundDown).toFixed();
}

/** True for a number above 0 without a sign or an exponent. */
export const isAmount = (text: string): boolean => /^(?=.*[1-9])\d*\.?\d+$/.test(text);
