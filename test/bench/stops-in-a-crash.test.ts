import { expect, it } from "vitest";
import { stopsInACrash } from "./stops-in-a-crash.ts";

it("sells at least 95 % of what can be sold of 1,000 stops in a crash, and fails none", () => {
  const options = { stops: 1000, users: 250, fall: 15n, blockSeconds: 2, seed: 1 };
  const { filled, possible, failed, left, waves, seconds } = stopsInACrash({ ...options, depth: 200n });
  expect(failed).toBe(0);
  expect(left).toBe(0);
  expect(filled.count).toBeGreaterThanOrEqual(0.95 * possible.count);
  expect(filled.coins).toBeGreaterThanOrEqual(0.95 * possible.coins);
  expect(seconds).toBeLessThanOrEqual(waves * options.blockSeconds + 10);
});
