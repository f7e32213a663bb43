import { seededRandom } from "cdk-local-runner";

/** Minutes before now, and the price then as a multiple of the first one. */
export type Point = readonly [minutesAgo: number, factor: number];

/** The past of a price. The times fall. */
export type Points = readonly [Point, ...Point[]];

/** Finds a price on the straight lines between the points. */
export function factorAt(points: Points, minutesAgo: number): number {
  const next = points.findIndex(([ago]) => ago <= minutesAgo);
  const [before, after] = [points[next - 1], points[next] ?? points.at(-1) ?? points[0]];
  if (next < 1 || before === undefined) return after[1];
  return before[1] + ((after[1] - before[1]) * (before[0] - minutesAgo)) / (before[0] - after[0]);
}

/** Sways around 0, by about the given spread, and returns to it. */
export function swaying(seed: string): (spread: number) => number {
  const random = seededRandom(seed);
  let swing = 0;
  return (spread) => {
    swing = 0.8 * swing + 2 * spread * (random() + random() + random() - 1.5);
    return swing;
  };
}
