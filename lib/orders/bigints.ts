export const greatest = (first: bigint, ...others: readonly bigint[]): bigint =>
  others.reduce((a, b) => (a > b ? a : b), first);

export const least = (first: bigint, ...others: readonly bigint[]): bigint =>
  others.reduce((a, b) => (a < b ? a : b), first);

export const sizeOf = (amount: bigint): bigint => (amount < 0n ? -amount : amount);

/** Compares two objects field by field and returns the greater value of each field. */
export const greatestEach = <Name extends string>(
  a: Record<Name, bigint>,
  b: Record<Name, bigint>,
): Record<Name, bigint> =>
  Object.fromEntries(
    Object.entries<bigint>(a).map(([name, value]) => [name, greatest(value, b[name as Name])]),
  ) as Record<Name, bigint>;

/** Divides two numbers and rounds up. */
export const ceilDivide = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor;
