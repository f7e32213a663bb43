/** Percentages have four decimal places. */
const perPercent = 10_000n;
const whole = 100n * perPercent;

/** Computes the percentage that a part is of the total; 0 if it is negative. */
export function percentOf(part: bigint, total: bigint): number {
  if (total <= 0n || part <= 0n) return 0;
  return Number((part * whole * 2n + total) / (total * 2n)) / Number(perPercent);
}
