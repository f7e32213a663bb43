import { type Exact, exact, textOf } from "trading-terminal-client/markets";

/** Number of significant digits of a dragged price. A pixel is no more exact. */
const droppedDigits = 4;
/** A press of an arrow key changes this significant digit. */
const steppedDigit = 3;
/** Significant digits of prices that follow from others, as in the service's prices. */
const derivedDigits = 18;

const numberOf = (price: string): Exact => exact(price) ?? { mantissa: 0n, exponent: 0 };

/** Returns the price where a line is dropped, as an exact decimal with few digits. Undefined where no price is. */
export function droppedPrice(value: number): string | undefined {
  if (!(value > 0) || !Number.isFinite(value)) return undefined;
  const [digits = "", power] = value.toExponential(droppedDigits - 1).split("e");
  return textOf({ mantissa: BigInt(digits.replace(".", "")), exponent: Number(power) - droppedDigits + 1 });
}

/**
 * Moves a price by steps of its third significant digit. A price between two steps moves to the nearer end first.
 *
 * @param steps At most 10 in either direction
 */
export function steppedPrice(price: string, steps: number): string {
  const { mantissa, exponent } = numberOf(price);
  const stepExponent = String(mantissa).length + exponent - steppedDigit;
  const finer = Math.max(0, stepExponent - exponent);
  const whole = (mantissa * 10n ** BigInt(Math.max(0, exponent - stepExponent))) / 10n ** BigInt(finer);
  const isBetween = mantissa % 10n ** BigInt(finer) !== 0n;
  const next = whole + BigInt(steps) + (isBetween && steps < 0 ? 1n : 0n);
  return textOf({ mantissa: next, exponent: stepExponent });
}

/** Changes a price in the proportion in which another one changes, rounded down. */
export function inProportion(price: string, from: string, to: string): string {
  const [own, old, next] = [price, from, to].map(numberOf) as [Exact, Exact, Exact];
  const places = 2 * derivedDigits + String(old.mantissa).length;
  const mantissa = (own.mantissa * next.mantissa * 10n ** BigInt(places)) / old.mantissa;
  const surplus = Math.max(0, String(mantissa).length - derivedDigits);
  const exponent = own.exponent + next.exponent - old.exponent - places + surplus;
  return textOf({ mantissa: mantissa / 10n ** BigInt(surplus), exponent });
}
