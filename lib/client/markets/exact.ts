import type { Decimal } from "../openapi.ts";

/** A number, as `mantissa` × 10^`exponent`. Floating point would show different digits from the service. */
export type Exact = { readonly mantissa: bigint; readonly exponent: number };

export const zero: Exact = { mantissa: 0n, exponent: 0 };

/** Significant digits to which the service rounds prices. */
const priceDigits = 18;

/** Parses digits with or without a point. Returns undefined for any other text. */
export function exact(text: string | undefined): Exact | undefined {
  const [, sign, whole, places = ""] = /^(-?)(\d{1,80})(?:\.(\d{1,80}))?$/.exec(text ?? "") ?? [];
  if (whole === undefined) return undefined;
  const digits = BigInt(whole + places);
  return { mantissa: sign === "-" ? -digits : digits, exponent: -places.length };
}

/** Formats a number without an exponent and without trailing zeros. */
export function textOf({ mantissa, exponent }: Exact): Decimal {
  if (mantissa < 0n) return `-${textOf({ mantissa: -mantissa, exponent })}` as Decimal;
  if (exponent >= 0) return String(mantissa * 10n ** BigInt(exponent)) as Decimal;
  const digits = String(mantissa).padStart(1 - exponent, "0");
  return `${digits.slice(0, exponent)}.${digits.slice(exponent)}`.replace(/\.?0+$/, "") as Decimal;
}

/** Divides and rounds to the nearest whole number; a tie goes to the even one. The divisor is above 0. */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  if (dividend < 0n) return -divideHalfEven(-dividend, divisor);
  const floor = dividend / divisor;
  const twice = (dividend % divisor) * 2n;
  return twice > divisor || (twice === divisor && floor % 2n === 1n) ? floor + 1n : floor;
}

/** Multiplies two numbers without rounding. */
export const times = (a: Exact, b: Exact): Exact => ({
  mantissa: a.mantissa * b.mantissa,
  exponent: a.exponent + b.exponent,
});

/** Rounds an amount to the smallest unit of a coin or token with these decimals. */
export function unitsOf({ mantissa, exponent }: Exact, decimals: number): bigint {
  const shift = exponent + decimals;
  return shift >= 0 ? mantissa * 10n ** BigInt(shift) : divideHalfEven(mantissa, 10n ** BigInt(-shift));
}

export const ofUnits = (units: bigint, decimals: number): Exact => ({ mantissa: units, exponent: -decimals });

/** Rounds a number to significant digits. */
export function rounded({ mantissa, exponent }: Exact, digits = priceDigits): Exact {
  const surplus = String(mantissa < 0n ? -mantissa : mantissa).length - digits;
  return surplus <= 0
    ? { mantissa, exponent }
    : { mantissa: divideHalfEven(mantissa, 10n ** BigInt(surplus)), exponent: exponent + surplus };
}

/** Divides and rounds to significant digits. The divisor is above 0. */
export function ratio(a: Exact, b: Exact): Exact {
  const places = priceDigits + 2 + String(b.mantissa).length;
  const scaled = a.mantissa * 10n ** BigInt(places);
  const quotient = scaled / b.mantissa;
  const exponent = a.exponent - b.exponent - places;
  // Appends a digit that is neither 0 nor 5, so that a remainder never looks like a tie.
  if (scaled % b.mantissa === 0n) return rounded({ mantissa: quotient, exponent });
  return rounded({ mantissa: quotient * 10n + (scaled < 0n ? -1n : 1n), exponent: exponent - 1 });
}

const scaledTo = ({ mantissa, exponent }: Exact, least: number) => mantissa * 10n ** BigInt(exponent - least);

/** Adds two numbers without rounding. */
export function plus(a: Exact, b: Exact): Exact {
  const exponent = Math.min(a.exponent, b.exponent);
  return { mantissa: scaledTo(a, exponent) + scaledTo(b, exponent), exponent };
}

/** Compares two numbers. Returns a negative number, 0 or a positive one, as `sort` expects. */
export function compare(a: Exact, b: Exact): number {
  const exponent = Math.min(a.exponent, b.exponent);
  const difference = scaledTo(a, exponent) - scaledTo(b, exponent);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
