/**
 * A decimal number of at least 0: `mantissa` × 10^`exponent`. The mantissa has at most 18 significant digits and does
 * not end in a zero. Each value has a single form, and zero has the exponent 0.
 */
export type Decimal = Readonly<{ mantissa: bigint; exponent: number }>;

export const zero: Decimal = { mantissa: 0n, exponent: 0 };

const mostDigits = 18;

/** Rounds half-even to 18 significant digits, and to the given number of decimal places. */
export function decimalOf(
  mantissa: bigint,
  exponent: number,
  mostPlaces = Number.POSITIVE_INFINITY,
): Decimal {
  const rounded = quotientOf(mantissa, 1n, Math.min(0, exponent + mostPlaces));
  return withoutZeros(rounded.mantissa, rounded.exponent + exponent);
}

function withoutZeros(mantissa: bigint, exponent: number): Decimal {
  const digits = String(mantissa);
  const kept = digits.replace(zerosAtEnd, "");
  return kept === "" ? zero : { mantissa: BigInt(kept), exponent: exponent + digits.length - kept.length };
}

const zerosAtEnd = /0+$/;

/** True if a decimal number is in its canonical form. */
export const isDecimal = ({ mantissa, exponent }: Decimal): boolean =>
  mantissa === 0n
    ? exponent === 0
    : mantissa > 0n && mantissa < 10n ** BigInt(mostDigits) && mantissa % 10n !== 0n;

/** Divides two whole numbers, rounded half-even to 18 significant digits. */
export function ratioOf(dividend: bigint, divisor: bigint): Decimal {
  const { mantissa, exponent } = quotientOf(dividend, divisor, Number.POSITIVE_INFINITY);
  return withoutZeros(mantissa, exponent);
}

/** Like {@link ratioOf}, but also rounded to the given number of decimal places. The result may end in zeros. */
export function quotientOf(dividend: bigint, divisor: bigint, mostPlaces: number): Decimal {
  const guess = String(dividend).length - String(divisor).length;
  // Counts the quotient's digits before the decimal point. For quotients below 0.1, returns minus the number of zeros
  // after the point.
  const digits = timesTen(dividend, -guess) >= timesTen(divisor, guess) ? guess + 1 : guess;
  const places = Math.min(mostPlaces, mostDigits - digits);
  return {
    mantissa: divideHalfEven(timesTen(dividend, places), timesTen(divisor, -places)),
    exponent: -places,
  };
}

/** Multiplies by a power of ten. If the exponent is negative, returns the number unchanged. */
export const timesTen = (value: bigint, count: number): bigint =>
  count > 0 ? value * 10n ** BigInt(count) : value;

/** Divides and rounds half-even to a whole number. */
function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const floor = dividend / divisor;
  const twice = (dividend % divisor) * 2n;
  const up = twice > divisor || (twice === divisor && floor % 2n === 1n);
  return up ? floor + 1n : floor;
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

const scaledTo = ({ mantissa, exponent }: Decimal, least: number) => timesTen(mantissa, exponent - least);

/** Compares two numbers. Returns a negative number, 0 or a positive one, like the comparator of a sort. */
export function compare(a: Decimal, b: Decimal): number {
  const exponent = Math.min(a.exponent, b.exponent);
  const difference = scaledTo(a, exponent) - scaledTo(b, exponent);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Rounds half-even to units of a coin or token with these decimals. The number may have more than 18 digits. */
export function inUnits({ mantissa, exponent }: Decimal, decimals: number): bigint {
  const places = exponent + decimals;
  return divideHalfEven(timesTen(mantissa, places), timesTen(1n, -places));
}

/** Formats units of a coin or token with these decimals, without rounding. The units must not be negative. */
export function formatUnits(units: bigint, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  const places = digits.slice(point).replace(zerosAtEnd, "");
  return digits.slice(0, point) + (places && `.${places}`);
}

/** Formats a number without an exponent. */
export const formatDecimal = ({ mantissa, exponent }: Decimal): string =>
  formatUnits(timesTen(mantissa, exponent), Math.max(0, -exponent));

const pattern = /^(\d+)(?:\.(\d+))?$/;

/** Parses digits with or without a decimal point. Returns undefined for any other text. */
export function parseDecimal(text: string): Decimal | undefined {
  const [, whole, places = ""] = pattern.exec(text) ?? [];
  return whole === undefined ? undefined : decimalOf(BigInt(whole + places), -places.length);
}
