import { highestHeld } from "./look-back.ts";
import type { Circumstances, Period, Point } from "./points.ts";

type Range = { least: number; most: number };

/**
 * Milliseconds for which a price must have held until the mark of a trailing stop has followed for certain: the look-back,
 * the 15 seconds between two steps of a mark, and time for a busy machine.
 */
const followMs = 75_000;

/** Milliseconds between two points after which the prices between them count as unknown. */
const mostGapMs = 5000;

/** The smallest step of a mark, as a share of it. */
const stepOf = (trail: number) => Math.max(0.005, trail / 20);

/**
 * Computes the bounds of a trailing stop's mark at each point. The mark starts at the price of the placing, never
 * falls, and rises to what a whole look-back has seen.
 *
 * @param first Prices around the placing. Undefined if they are not known.
 */
export function markBounds(
  first: Range | undefined,
  trail: number,
  { asked, points, faults }: Circumstances,
): Range[] {
  const held = highestHeld(asked, points);
  const lowest = lowestWithin(points, faults);
  let { least, most } = first ?? { least: 0, most: Number.POSITIVE_INFINITY };
  return points.map(({ atMs }, index) => {
    if (atMs >= asked.createdAtMs) most = Math.max(most, held[index] ?? 0);
    if (atMs >= asked.createdAtMs + followMs)
      least = Math.max(least, (lowest[index] ?? 0) * (1 - stepOf(trail)));
    return { least, most };
  });
}

/**
 * Computes the lowest price before each point, over the time within which a mark must follow. 0 after faults and gaps.
 */
function lowestWithin(points: readonly Point[], faults: readonly Period[]): number[] {
  let from = 0;
  let start = 0;
  return points.map(({ atMs, price }, index) => {
    const { atMs: lastMs = atMs } = points[index - 1] ?? {};
    const isFaulty = faults.some(({ fromMs, toMs }) => fromMs < atMs && toMs > lastMs);
    if (price === undefined || isFaulty || atMs - lastMs > mostGapMs) start = index + 1;
    while (atMs - (points[from + 1]?.atMs ?? atMs) >= followMs) from++;
    const isLong = start <= from && atMs - (points[from]?.atMs ?? atMs) >= followMs;
    return isLong ? Math.min(...points.slice(from, index + 1).map((each) => each.price ?? 0)) : 0;
  });
}
