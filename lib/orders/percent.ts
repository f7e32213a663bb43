import { ceilDivide, greatest } from "./bigints.ts";

/** Counts percentages in whole millionths, because percentages have four decimal places. */
const perPercent = 10_000n;

/** The whole of something, in millionths. */
export const whole = 100n * perPercent;

/** Converts a percentage to millionths. */
export const millionthsOf = (percent: number): bigint => BigInt(Math.round(percent * Number(perPercent)));

/** Converts millionths to a percentage. */
export const percentFrom = (millionths: bigint): number => Number(millionths) / Number(perPercent);

/**
 * Computes the minimum that may arrive, given the quoted amount: at least one unit.
 *
 * @param slippage In millionths.
 */
export const minimumOf = (quoted: bigint, slippage: bigint): bigint =>
  greatest((quoted * (whole - slippage)) / whole, 1n);

/** Computes how far a minimum is below the quoted amount, in millionths, rounded up. */
export const shortfallOf = (minimum: bigint, quoted: bigint): bigint =>
  ceilDivide((quoted - minimum) * whole, quoted);

/** Computes what percentage of the total a part is. 0 if the part is negative. */
export function percentOf(part: bigint, total: bigint): number {
  if (total <= 0n || part <= 0n) return 0;
  return percentFrom((part * whole * 2n + total) / (total * 2n));
}

/**
 * Rounds a slippage down to four decimal places, the precision that trading uses. Settings of earlier versions may have
 * more places, and rounding up would accept less than the user allows.
 */
export function roundedDown(percent: number): number {
  const parts = Number(perPercent);
  const nearest = Math.round(percent * parts);
  return (nearest / parts <= percent ? nearest : nearest - 1) / parts;
}
