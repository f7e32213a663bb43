/**
 * A decimal number that is not negative: `mantissa` × 10^`exponent`. It has at most 18 significant digits, no zeros at
 * its end, and one form for each value: zero has the exponent 0.
 */
export type Decimal = Readonly<{ mantissa: bigint; exponent: number }>;

export const zero: Decimal = { mantissa: 0n, exponent: 0 };

const mostDigits = 18;

/** Rounds half-even to 18 significant digits, and to so many decimal places. */
export function decimalOf(
  mantissa: bigint,
  exponent: number,
  mostPlaces = Number.POSITIVE_INFINITY,
): Decimal {
  const surplus = Math.max(String(mantissa).length - mostDigits, -exponent - mostPlaces);
  return surplus <= 0
    ? withoutZeros(mantissa, exponent)
    : withoutZeros(divideHalfEven(mantissa, 10n ** BigInt(surplus)), exponent + surplus);
}

/** Divides to the nearest whole number, and to the even one of two that are equally near. */
function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const floor = dividend / divisor;
  const twice = (dividend % divisor) * 2n;
  const up = twice > divisor || (twice === divisor && floor % 2n === 1n);
  return up ? floor + 1n : floor;
}

function withoutZeros(mantissa: bigint, exponent: number): Decimal {
  if (mantissa === 0n) return zero;
  const zeros = /0*$/.exec(String(mantissa))?.[0].length ?? 0;
  return { mantissa: mantissa / 10n ** BigInt(zeros), exponent: exponent + zeros };
}

/** True for the one form that a value has. */
export const isDecimal = ({ mantissa, exponent }: Decimal): boolean =>
  mantissa === 0n
    ? exponent === 0
    : mantissa > 0n && mantissa < 10n ** BigInt(mostDigits) && mantissa % 10n !== 0n;

/** Divides two whole numbers, rounded half-even to 18 significant digits and to so many decimal places. */
export function ratioOf(dividend: bigint, divisor: bigint, mostPlaces?: number): Decimal {
  // One digit of the quotient may be lost to the lengths, and the last one marks what is left over.
  const places = Math.max(0, mostDigits + 2 + String(divisor).length - String(dividend).length);
  const scaled = dividend * 10n ** BigInt(places);
  const quotient = scaled / divisor;
  const isExact = scaled % divisor === 0n;
  // A digit that is neither 0 nor 5 keeps the rest from looking like a half.
  return isExact
    ? decimalOf(quotient, -places, mostPlaces)
    : decimalOf(quotient * 10n + 1n, -places - 1, mostPlaces);
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

/** Rounds half-even to units of a coin or token with these decimals. The number may have more than 18 digits. */
export function inUnits({ mantissa, exponent }: Decimal, decimals: number): bigint {
  const shift = exponent + decimals;
  return shift >= 0 ? mantissa * 10n ** BigInt(shift) : divideHalfEven(mantissa, 10n ** BigInt(-shift));
}

/** Formats without an exponent. */
export function formatDecimal({ mantissa, exponent }: Decimal): string {
  if (exponent >= 0) return String(mantissa * 10n ** BigInt(exponent));
  const digits = String(mantissa).padStart(1 - exponent, "0");
  return `${digits.slice(0, exponent)}.${digits.slice(exponent)}`;
}

/** Formats units of a coin or token with these decimals, to the last digit. They are not negative. */
export const formatUnits = (units: bigint, decimals: number): string =>
  formatDecimal(withoutZeros(units, -decimals));

const pattern = /^(\d+)(?:\.(\d+))?$/;

/** Parses digits with or without a point. Undefined for any other text. */
export function parseDecimal(text: string): Decimal | undefined {
  const [, whole, places = ""] = pattern.exec(text) ?? [];
  return whole === undefined ? undefined : decimalOf(BigInt(whole + places), -places.length);
}
