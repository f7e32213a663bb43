import { divideHalfEven } from "../../orders/decimal-text.ts";

/**
 * A decimal number that is not negative: `mantissa` × 10^`exponent`. It has at most 18 significant digits, no zeros at
 * its end, and one form for each value: zero has the exponent 0.
 */
export type Decimal = Readonly<{ mantissa: bigint; exponent: number }>;

export const zero: Decimal = { mantissa: 0n, exponent: 0 };

const mostDigits = 18;

/** Rounds half-even to 18 significant digits. */
export function decimalOf(mantissa: bigint, exponent: number): Decimal {
  if (mantissa === 0n) return zero;
  const surplus = String(mantissa).length - mostDigits;
  if (surplus <= 0) return withoutZeros(mantissa, exponent);
  return withoutZeros(divideHalfEven(mantissa, 10n ** BigInt(surplus)), exponent + surplus);
}

function withoutZeros(mantissa: bigint, exponent: number): Decimal {
  const zeros = /0*$/.exec(String(mantissa))?.[0].length ?? 0;
  return { mantissa: mantissa / 10n ** BigInt(zeros), exponent: exponent + zeros };
}

/** True for the one form that a value has. */
export const isDecimal = ({ mantissa, exponent }: Decimal): boolean =>
  mantissa === 0n
    ? exponent === 0
    : mantissa > 0n && mantissa < 10n ** BigInt(mostDigits) && mantissa % 10n !== 0n;

/** Divides two whole numbers, rounded half-even to 18 significant digits. */
export function ratioOf(dividend: bigint, divisor: bigint): Decimal {
  if (dividend === 0n) return zero;
  // One digit of the quotient may be lost to the lengths, and the last one marks what is left over.
  const places = Math.max(0, mostDigits + 2 + String(divisor).length - String(dividend).length);
  const scaled = dividend * 10n ** BigInt(places);
  const quotient = scaled / divisor;
  const isExact = scaled % divisor === 0n;
  // A digit that is neither 0 nor 5 keeps the rest from looking like a half.
  return isExact ? decimalOf(quotient, -places) : decimalOf(quotient * 10n + 1n, -places - 1);
}

export const multiply = (a: Decimal, b: Decimal): Decimal =>
  decimalOf(a.mantissa * b.mantissa, a.exponent + b.exponent);

/** Divides by a number above 0. */
export function divide(a: Decimal, b: Decimal): Decimal {
  const { mantissa, exponent } = ratioOf(a.mantissa, b.mantissa);
  return mantissa === 0n ? zero : { mantissa, exponent: exponent + a.exponent - b.exponent };
}

export function add(a: Decimal, b: Decimal): Decimal {
  const exponent = Math.min(a.exponent, b.exponent);
  return decimalOf(scaledTo(a, exponent) + scaledTo(b, exponent), exponent);
}

const scaledTo = ({ mantissa, exponent }: Decimal, least: number) =>
  mantissa * 10n ** BigInt(exponent - least);

/** Returns a negative number, 0 or a positive one if the first is less than, equal to, or greater than the second. */
export function compare(a: Decimal, b: Decimal): number {
  const exponent = Math.min(a.exponent, b.exponent);
  const difference = scaledTo(a, exponent) - scaledTo(b, exponent);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Formats without an exponent. */
export function formatDecimal({ mantissa, exponent }: Decimal): string {
  if (exponent >= 0) return String(mantissa * 10n ** BigInt(exponent));
  const digits = String(mantissa).padStart(1 - exponent, "0");
  return `${digits.slice(0, exponent)}.${digits.slice(exponent)}`;
}

const pattern = /^(\d+)(?:\.(\d+))?$/;

/** Parses digits with or without a point. Undefined for any other text. */
export function parseDecimal(text: string): Decimal | undefined {
  const [, whole, places = ""] = pattern.exec(text) ?? [];
  return whole === undefined ? undefined : decimalOf(BigInt(whole + places), -places.length);
}
