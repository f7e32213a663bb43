import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { levelAt, xpOfLevel, xpToNextLevel } from "../../lib/users/level.ts";

const xp = fc.nat({ max: 2 ** 40 });

describe("levelAt and xpToNextLevel", () => {
  it.each([
    [0, 1, 100],
    [99, 1, 1],
    [100, 2, 300],
    [399, 2, 1],
    [400, 3, 500],
    [1200, 4, 400],
    [10_000, 11, 2100],
  ])("puts %d XP at level %d, with %d XP to the next", (total, level, remaining) => {
    expect([levelAt(total), xpToNextLevel(total)]).toEqual([level, remaining]);
  });

  it("keeps a total between the thresholds of its level and the next", () => {
    fc.assert(
      fc.property(xp, (total) => {
        const level = levelAt(total);
        expect(xpOfLevel(level)).toBeLessThanOrEqual(total);
        expect(xpOfLevel(level + 1)).toBe(total + xpToNextLevel(total));
        expect(xpToNextLevel(total)).toBeGreaterThan(0);
      }),
    );
  });

  it("starts a level exactly at its threshold", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 1_000_000 }), (level) => {
        expect([levelAt(xpOfLevel(level) - 1), levelAt(xpOfLevel(level))]).toEqual([level - 1, level]);
      }),
    );
  });

  it("never lowers the level as XP increase", () => {
    fc.assert(
      fc.property(xp, fc.nat(10_000), (total, more) => {
        expect(levelAt(total + more)).toBeGreaterThanOrEqual(levelAt(total));
      }),
    );
  });
});
