import { expect, it } from "vitest";
import { factorAt, type Points } from "../course.ts";

const points: Points = [
  [100, 1],
  [40, 1.6],
  [10, 1.3],
];

it.each([
  [100, 1],
  [70, 1.3],
  [40, 1.6],
  [25, 1.45],
  [10, 1.3],
  [0, 1.3],
])("factorAt follows straight lines, and stays at the last point: %d minutes ago, %d", (minutes, factor) => {
  expect(factorAt(points, minutes)).toBeCloseTo(factor, 9);
});
