import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backoff } from "../../../lib/prices/backoff.ts";
import { timings } from "../../../lib/prices/timings.ts";

const { reconnect } = timings;

describe("the time before a connection is tried again", () => {
  it.each([
    [1, 500, 1000],
    [2, 500, 2000],
    [3, 500, 4000],
    [6, 500, 30_000],
    [1000, 500, 30_000],
  ])("after %d failures is from %d to %d ms, by chance", (failures, least, most) => {
    expect([backoff(failures, reconnect, 0), backoff(failures, reconnect, 1)]).toEqual([least, most]);
  });

  it("keeps two runs at once within the eight connections a second that Coinbase takes", () => {
    fc.assert(
      fc.property(fc.nat({ max: 100 }), fc.double({ min: 0, max: 1, noNaN: true }), (failures, chance) => {
        expect((2 * 1000) / backoff(failures, reconnect, chance)).toBeLessThanOrEqual(8);
      }),
    );
  });
});
