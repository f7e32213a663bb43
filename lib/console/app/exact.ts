import * as decimals from "trading-terminal-client/markets";

/** Parses a decimal number from the service. Any other text counts as 0. */
const numberOf = (text: string): decimals.Exact => decimals.exact(text) ?? { mantissa: 0n, exponent: 0 };

/** Adds decimal numbers without rounding. */
export const plus = (a: string, b: string): string =>
  decimals.textOf(decimals.plus(numberOf(a), numberOf(b)));

/** Subtracts decimal numbers without rounding. */
export function minus(from: string, text: string): string {
  const { mantissa, exponent } = numberOf(text);
  return decimals.textOf(decimals.plus(numberOf(from), { mantissa: -mantissa, exponent }));
}

/** Multiplies decimal numbers without rounding. */
export const product = (a: string, b: string): string =>
  decimals.textOf(decimals.times(numberOf(a), numberOf(b)));

/** Compares decimal numbers. Returns a negative number, 0 or a positive one, as `sort` expects. */
export const compared = (a: string, b: string): number => decimals.compare(numberOf(a), numberOf(b));

/** Takes a whole percentage of a decimal number, rounded down to as many decimal places as the number has. */
export function share(text: string, percent: number): string {
  const { mantissa, exponent } = numberOf(text);
  return decimals.textOf({ mantissa: (mantissa * BigInt(percent)) / 100n, exponent });
}

/** True for text that is a number above 0 without a sign or an exponent. */
export const isAmount = (text: string): boolean => /^(?=.*[1-9])\d*\.?\d+$/.test(text);
