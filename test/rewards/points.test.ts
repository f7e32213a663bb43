import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { auditOf, nextLines, type PointsLine } from "../../lib/rewards/points.ts";

const [userID, now] = ["ann", new Date("2026-11-01T00:00:00.000Z")];
const set = (change: number) => ({ reason: "set", change }) as const;

describe("nextLines", () => {
  it("opens an empty ledger with the balance before the change", () => {
    expect(nextLines({ userID, points: 500 }, undefined, set(-100), now)).toEqual([
      { userID, number: 1, time: now.toISOString(), reason: "opening", change: 500, points: 500 },
      { userID, number: 2, time: now.toISOString(), reason: "set", change: -100, points: 400 },
    ]);
  });

  it("adds one line to a ledger that agrees with the balance", () => {
    const bought = { reason: "redeemed", change: -400, redemptionId: "r" } as const;
    expect(nextLines({ userID, points: 400 }, { number: 2, points: 400 }, bought, now)).toEqual([
      { userID, number: 3, time: now.toISOString(), ...bought, points: 0 },
    ]);
  });

  it("first adds a line for a difference between the ledger and the balance", () => {
    expect(nextLines({ userID, points: 500 }, { number: 2, points: 400 }, set(1), now)).toMatchObject([
      { number: 3, reason: "restored", change: 100, points: 500 },
      { number: 4, reason: "set", change: 1, points: 501 },
    ]);
  });

  it("has lines that add up to the balance after any changes", () => {
    const steps = fc.array(fc.record({ change: fc.integer(), outside: fc.option(fc.integer()) }));
    fc.assert(
      fc.property(fc.nat(), steps, (start, all) => {
        let points = start;
        const lines: PointsLine[] = [];
        for (const { change, outside } of all) {
          points = outside ?? points;
          lines.push(...nextLines({ userID, points }, lines.at(-1), set(change), now));
          points += change;
          expect(auditOf(points, lines)).toEqual({ sum: points, missing: [] });
          expect(lines.at(-1)?.points).toBe(points);
        }
      }),
    );
  });
});

describe("auditOf", () => {
  it("finds missing lines, but none from before the ledger was opened", () => {
    expect(auditOf(7, [])).toEqual({ sum: 7, missing: [] });
    const lines = [2, 5].map((number) => ({ number, change: 10 }));
    expect(auditOf(7, lines)).toEqual({ sum: 20, missing: [1, 3, 4] });
  });
});
