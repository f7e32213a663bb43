/** Returns the nearest-rank percentile of unsorted values. NaN without values. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}

export type Spread = { p50: number; p95: number; p99: number; max: number };

export const spreadOf = (values: readonly number[]): Spread => ({
  p50: percentile(values, 50),
  p95: percentile(values, 95),
  p99: percentile(values, 99),
  max: percentile(values, 100),
});

/** Milliseconds since the epoch with fractions, comparable between processes of one machine. */
export const now = (): number => performance.timeOrigin + performance.now();
