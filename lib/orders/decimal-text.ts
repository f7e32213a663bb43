import { DomainError } from "../core/domain-error.ts";
import type { Network } from "../core/network.ts";

/** The decimals of each chain's native coin. */
export const coinDecimals: Readonly<Record<Network, number>> = {
  eth: 18,
  base: 18,
  sol: 9,
  bsc: 18,
  avax: 18,
};

/** Prices have this many significant digits. */
const priceDigits = 18;
const pricePlaces = 40;

/** Amounts of tokens fit into 256 bits. */
const tooMany = 1n << 256n;

const amountPattern = /^(\d{1,40})(?:\.(\d{1,40}))?$/;

/** Describes an invalid amount, in words that follow the name of its field. */
export type AmountProblem = { problem: string };

/** Parses a positive decimal text into units of a token with these decimals. */
export function parseAmount(text: string, decimals: number): bigint | AmountProblem {
  const [, whole, places = ""] = amountPattern.exec(text) ?? [];
  if (whole === undefined)
    return { problem: "must be a decimal number as text, with at most 40 digits on each side of the point" };
  if (places.length > decimals) return { problem: `must have at most ${decimals} decimal places` };
  const units = BigInt(whole + places.padEnd(decimals, "0"));
  if (units === 0n) return { problem: "must be above 0" };
  if (units >= tooMany) return { problem: "must be less than 2^256 units" };
  return units;
}

/**
 * Parses decimal text into units of a token.
 *
 * @throws {DomainError} INVALID_REQUEST
 */
export function unitsFrom(text: string, decimals: number, field: string): bigint {
  const units = parseAmount(text, decimals);
  if (typeof units === "bigint") return units;
  throw new DomainError("INVALID_REQUEST", `${field} ${units.problem}`, { field });
}

/** Formats units of a token with these decimals as canonical decimal text. */
export function formatAmount(units: bigint, decimals: number): string {
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const places = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return `${units < 0n ? "-" : ""}${whole}${places === "" ? "" : `.${places}`}`;
}

/** Formats an amount of a chain's native coin. */
export const coinText = (chain: Network, units: bigint): string => formatAmount(units, coinDecimals[chain]);

/**
 * Formats the price of one token in whole coins: half-even to 18 significant digits, with at most 40 decimal places.
 *
 * @param coins The price of the tokens, in units of the chain's native coin.
 * @param tokens In units of a token with these decimals.
 */
export function formatPrice(chain: Network, coins: bigint, tokens: bigint, decimals: number): string {
  const dividend = coins * 10n ** BigInt(decimals);
  const divisor = tokens * 10n ** BigInt(coinDecimals[chain]);
  const places = Math.min(pricePlaces, priceDigits - wholeDigits(dividend, divisor));
  return places >= 0
    ? formatAmount(divideHalfEven(dividend * 10n ** BigInt(places), divisor), places)
    : String(divideHalfEven(dividend, divisor * 10n ** BigInt(-places)) * 10n ** BigInt(-places));
}

/**
 * Counts the digits before the point of a positive quotient. Below 0.1, the result is minus the number of zeros after
 * the point.
 */
function wholeDigits(dividend: bigint, divisor: bigint): number {
  const guess = String(dividend).length - String(divisor).length;
  const reached =
    guess >= 0 ? dividend >= divisor * 10n ** BigInt(guess) : dividend * 10n ** BigInt(-guess) >= divisor;
  return reached ? guess + 1 : guess;
}

/** Divides to the nearest whole number, and to the even one of two that are equally near. */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const floor = dividend / divisor;
  const twice = (dividend % divisor) * 2n;
  const up = twice > divisor || (twice === divisor && floor % 2n === 1n);
  return up ? floor + 1n : floor;
}
