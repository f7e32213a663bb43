const UNITS = { minute: 60_000, hour: 3600_000, day: 24 * 3600_000 };

/**
 * Milliseconds between the runs of a schedule, of a text such as `rate(5 minutes)`. As on AWS the unit is in
 * the singular with 1 and in the plural with everything else.
 *
 * @throws Error that names what is not emulated
 */
export function readRate(expression: string): number {
  const [, count, unit, plural] = /^rate\(([1-9]\d*) (minute|hour|day)(s?)\)$/.exec(expression) ?? [];
  if (count === undefined || (count === "1") !== (plural === "")) throw new Error(expression);
  return Number(count) * UNITS[unit as keyof typeof UNITS];
}
