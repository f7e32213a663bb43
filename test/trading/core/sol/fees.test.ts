import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  feesOfAttempt,
  feesOfClear,
  jointCosts,
  lamportsOfSol,
  leastBudget,
  medianOf,
  shareOfAttempt,
  solNetworkFee,
  unitLimitFor,
} from "../../../../lib/trading/core/sol/fees.ts";

const budget = fc.bigInt(0n, 10n ** 18n);
const limit = fc.integer({ min: 1, max: 1_400_000 });
const paid = (price: bigint, units: number) => (price * BigInt(units) + 999_999n) / 1_000_000n;

describe("lamportsOfSol", () => {
  it.each([
    [0, 0n],
    [1e-9, 1n],
    [0.001, 1_000_000n],
    [0.1 + 0.2, 300_000_000n],
    [1e6, 10n ** 15n],
  ])("reads %d SOL", (sol, lamports) => {
    expect(lamportsOfSol(sol)).toBe(lamports);
  });
});

describe("feesOfAttempt", () => {
  it("spends three tenths of the budget on priority, rounded down", () => {
    expect(feesOfAttempt(1_000_000n, 150_000)).toEqual({
      ...{ priority: 300_000n, tip: 0n, microLamportsPerUnit: 2_000_000n },
    });
    expect(feesOfAttempt(9n, 7)).toEqual({ priority: 2n, tip: 0n, microLamportsPerUnit: 285_714n });
    expect(feesOfAttempt(0n, 200_000)).toEqual({ priority: 0n, tip: 0n, microLamportsPerUnit: 0n });
  });

  it("gives a relay 30 % of it, at least its lowest tip, as far as it goes", () => {
    const tipOf = (budget: bigint, least: bigint) => feesOfAttempt(budget, 100_000, least).tip;
    expect(tipOf(1_000_000n, 90_000n)).toBe(90_000n);
    expect(tipOf(1_000_000n, 90_001n)).toBe(90_001n);
    expect(tipOf(1_000_000n, 1_000n)).toBe(90_000n);
    expect(feesOfAttempt(1_000_000n, 100_000, 300_000n)).toEqual({
      ...{ priority: 0n, tip: 300_000n, microLamportsPerUnit: 0n },
    });
    expect(tipOf(1_000_000n, 300_001n)).toBe(300_000n);
  });

  it("never exceeds the budget with three attempts and a clear", () => {
    fc.assert(
      fc.property(budget, limit, fc.option(budget, { nil: undefined }), (lamports, units, leastTip) => {
        const attempt = feesOfAttempt(lamports, units, leastTip);
        const clear = feesOfClear(lamports, units);
        const sum =
          3n * (paid(attempt.microLamportsPerUnit, units) + attempt.tip) +
          paid(clear.microLamportsPerUnit, units);
        expect(sum).toBeLessThanOrEqual(lamports);
        expect(attempt.priority + attempt.tip).toBe(shareOfAttempt(lamports));
        expect(paid(attempt.microLamportsPerUnit, units)).toBeLessThanOrEqual(attempt.priority);
      }),
    );
  });
});

describe("leastBudget", () => {
  it("is the lowest one whose attempts can pay the relay", () => {
    expect([0n, 1n, 3n, 1_000n].map(leastBudget)).toEqual([0n, 4n, 10n, 3_334n]);
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 12n), (tip) => {
        const least = leastBudget(tip);
        expect(shareOfAttempt(least)).toBeGreaterThanOrEqual(tip);
        expect(shareOfAttempt(least - 1n)).toBeLessThan(tip);
      }),
    );
  });
});

describe("solNetworkFee", () => {
  it("expects one attempt, and reserves all transactions", () => {
    const attempt = feesOfAttempt(1_000_000n, 150_000, 1_000n);
    expect(solNetworkFee(1_000_000n, 5_000n, attempt)).toEqual({
      ...{ expected: 305_000n, max: 1_020_000n, priority: 210_000n, tip: 90_000n },
    });
  });
});

describe("unitLimitFor", () => {
  it.each([
    [0, 200_000],
    [1, 2],
    [50_000, 60_000],
    [50_001, 60_002],
    [1_166_666, 1_400_000],
    [1_400_000, 1_400_000],
  ])("adds a fifth to %d units", (simulated, units) => {
    expect(unitLimitFor(simulated)).toBe(units);
  });
});

describe("jointCosts", () => {
  it("are the higher ones", () => {
    const rents = { empty: 890_880n, wsol: 2_039_280n, tokenAccount: 0n };
    const a = { computeUnitLimit: 60_000, baseFee: 5_000n, rents, medianPrice: 7n };
    const b = {
      ...{ computeUnitLimit: 50_000, baseFee: 5_001n, medianPrice: 8n },
      rents: { ...rents, empty: 1n, tokenAccount: 2n },
    };
    const joint = {
      ...{ computeUnitLimit: 60_000, baseFee: 5_001n, medianPrice: 8n },
      rents: { ...rents, tokenAccount: 2n },
    };
    expect([jointCosts(a, b), jointCosts(b, a)]).toEqual([joint, joint]);
  });
});

describe("medianOf", () => {
  it("is the middle value, the upper one of two", () => {
    expect([[], [3n], [9n, 1n], [10n, 9n, 100n]].map(medianOf)).toEqual([0n, 3n, 9n, 10n]);
  });
});
