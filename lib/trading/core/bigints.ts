export const greatest = (first: bigint, ...others: readonly bigint[]): bigint =>
  others.reduce((a, b) => (a > b ? a : b), first);

export const least = (first: bigint, ...others: readonly bigint[]): bigint =>
  others.reduce((a, b) => (a < b ? a : b), first);

/** Divides, and rounds up. */
export const ceilDivide = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor;
