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

/** Divides decimal numbers, to 40 decimal places more than they have. The divisor is above 0. */
export function quotient(dividend: string, divisor: string): string {
  const [a, b] = [numberOf(dividend), numberOf(divisor)];
  const mantissa = (a.mantissa * 10n ** 40n) / b.mantissa;
  return decimals.textOf({ mantissa, exponent: a.exponent - b.exponent - 40 });
}

/** Converts a decimal number to whole units of `places` decimal places. Drops what is smaller. */
export function unitsIn(text: string, places: number): bigint {
  const { mantissa, exponent } = numberOf(text);
  const shift = exponent + places;
  return shift >= 0 ? mantissa * 10n ** BigInt(shift) : mantissa / 10n ** BigInt(-shift);
}

/** Writes whole units of `places` decimal places as a decimal number. */
export const textOfUnits = (units: bigint, places: number): string =>
  decimals.textOf({ mantissa: units, exponent: -places });

/** Digits of the amounts and prices that the page suggests. */
const suggestedDigits = 6;

/** Cuts the decimal places of a number after a few digits, so that it never becomes larger. */
export function cut(text: string): string {
  const { mantissa, exponent } = numberOf(text);
  const surplus = Math.max(0, Math.min(String(mantissa).length - suggestedDigits, -exponent));
  return decimals.textOf({ mantissa: mantissa / 10n ** BigInt(surplus), exponent: exponent + surplus });
}

/** Moves a price by a percentage, to a price with few digits. */
export const moved = (price: string, percent: number): string =>
  cut(product(price, String((100 + percent) / 100)));

/** Takes a whole percentage of a decimal number, rounded down to as many decimal places as the number has. */
export function share(text: string, percent: number): string {
  const { mantissa, exponent } = numberOf(text);
  return decimals.textOf({ mantissa: (mantissa * BigInt(percent)) / 100n, exponent });
}

/** True for a number above 0 as the service reads it: without a sign or an exponent. */
export const isAmount = (text: string): boolean => /^(?=.*[1-9])\d{1,40}(\.\d{1,40})?$/.test(text);
