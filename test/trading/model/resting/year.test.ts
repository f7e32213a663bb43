import { describe, expect, it } from "vitest";
import { Violation } from "../violation.ts";
import { playYear, type Span } from "./year.ts";
import { yearMutants } from "./year-mutants.ts";

const { FULL, YEAR_SEED } = process.env;
const isFull = FULL !== undefined;

const perDay = 28;
const longMs = 3_600_000;

/** Maps each mutant that seed 1 shows late to a seed that shows it early. */
const seeds: Readonly<Record<string, number>> = { "lets the lane of a wallet keep others waiting": 2 };

const allTypes = [
  ...["limit", "takeProfit", "stop", "stopLoss", "trailing", "slice"].map((name) => `fired ${name}`),
  ...["filled", "EXPIRED", "CANCELLED_BY_USER"].map((end) => `ended ${end}`),
  ...["resting", "suspended"].map((state) => `born ${state}`),
];

/** Expects no fault in a span, and all types of orders and of ends. */
const expectNoFault = async (span: Span) => {
  const { faults, counts } = await playYear(span);
  expect(faults, `seed ${span.seed}`).toEqual([]);
  for (const type of allTypes) expect(counts.get(type) ?? 0, type).toBeGreaterThan(span.days / 10);
  return counts;
};

describe("resting orders in virtual time", () => {
  it("fire when they must and only then, and each seed replays bit for bit", async () => {
    const span = { seed: 1, days: isFull ? 7 : 1, perDay };
    const [one, other] = [await playYear(span), await playYear(span)];
    expect(one.faults).toEqual([]);
    expect(one.counts.get("placed")).toBeGreaterThan(10);
    expect(other.digest).toBe(one.digest);
    expect((await playYear({ ...span, seed: 2, days: 0.1 })).digest).not.toBe(one.digest);
  });

  it.runIf(isFull)(
    "fire when they must and only then in a year with 10,000 of them",
    { timeout: longMs },
    async () => {
      const counts = await expectNoFault({ seed: 1, days: 365, perDay });
      expect(counts.get("placed")).toBeGreaterThan(9500);
    },
  );

  // Eight spans of 375 days.
  it.runIf(isFull && YEAR_SEED !== undefined).each([0, 1, 2, 3, 4, 5, 6, 7])(
    "fire when they must and only then in 3,000 days of other seeds (%i)",
    { timeout: longMs },
    async (part) => {
      await expectNoFault({ seed: Number(YEAR_SEED) * 8 + part, days: 375, perDay });
    },
  );

  it.each(Object.entries(yearMutants))(
    "show a service that %s",
    { timeout: longMs },
    async (name, makeSystem) => {
      const span = { seed: seeds[name] ?? 1, days: 12, perDay: 60, makeSystem, endsAtFault: true };
      const faults = await playYear(span).then(
        (report) => report.faults,
        (error: unknown) => [error],
      );
      expect(faults[0]).toSatisfy((fault) => typeof fault === "string" || fault instanceof Violation);
    },
  );
});
