export const greatest = (first: bigint, ...others: readonly bigint[]): bigint =>
  others.reduce((a, b) => (a > b ? a : b), first);

export const least = (first: bigint, ...others: readonly bigint[]): bigint =>
  others.reduce((a, b) => (a < b ? a : b), first);
