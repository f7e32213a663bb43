/** Percentages have four places. */
const perPercent = 10_000n;
const whole = 100n * perPercent;

/** What part is of the total, in percent. Below 0 it is 0. */
export function percentOf(part: bigint, total: bigint): number {
  if (total <= 0n || part <= 0n) return 0;
  return Number((part * whole * 2n + total) / (total * 2n)) / Number(perPercent);
}
