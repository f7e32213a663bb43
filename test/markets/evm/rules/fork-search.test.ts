import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { searchFork } from "../../../../lib/markets/evm/rules/fork-search.ts";

/**
 * Searches for a fork on a chain that still has all blocks up to `fork`. Returns the result and the number of queries.
 */
function search(known: readonly number[], fork: number, kept: readonly number[], refuted: readonly number[]) {
  let compared = { kept: [...kept], refuted: [...refuted] };
  for (let asked = 0; ; asked++) {
    const next = searchFork(known, compared);
    if ("fork" in next) return { fork: next.fork, asked };
    const [good = [], bad = []] = [true, false].map((isKept) =>
      next.ask.filter((block) => block <= fork === isKept),
    );
    compared = { kept: [...compared.kept, ...good], refuted: [...compared.refuted, ...bad] };
  }
}

describe("searchFork", () => {
  it("queries blocks at growing distances, and the oldest one", () => {
    const known = Array.from({ length: 300 }, (_, block) => block);
    expect(searchFork(known, { kept: [], refuted: [299] })).toEqual({
      ask: [298, 297, 295, 291, 283, 267, 235, 0],
    });
  });

  it("finds the last known block that still exists, using few queries", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(2000), { minLength: 1, maxLength: 200 }),
        fc.integer({ min: -1, max: 2000 }),
        (blocks, fork) => {
          const known = blocks.toSorted((a, b) => a - b);
          const last = known.at(-1) as number;
          fc.pre(last > fork);
          const found = search(known, fork, [], [last]);
          expect(found.fork).toBe(known.findLast((block) => block <= fork));
          expect(found.asked).toBeLessThanOrEqual(9);
        },
      ),
    );
  });

  it("queries nothing if the blocks on both sides of the fork are known", () => {
    expect(searchFork([5, 9], { kept: [5], refuted: [9] })).toEqual({ fork: 5 });
    expect(searchFork([5], { kept: [], refuted: [5] })).toEqual({ fork: undefined });
  });

  it("searches below a refuted block even if higher blocks were kept", () => {
    expect(searchFork([5, 7, 9], { kept: [5, 9], refuted: [7] })).toEqual({ fork: 5 });
  });
});
