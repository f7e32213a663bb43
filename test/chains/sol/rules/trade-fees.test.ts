import { describe, expect, it } from "vitest";
import {
  feesOfFirst,
  jointCosts,
  lamportsOfSol,
  leastBudget,
  medianOf,
  solNetworkFee,
  unitLimitFor,
} from "../../../../lib/chains/sol/rules/trade-fees.ts";

describe("lamportsOfSol", () => {
  it.each([
    [0, 0n],
    [1e-9, 1n],
    [0.001, 1_000_000n],
    [0.1 + 0.2, 300_000_000n],
    [1e6, 10n ** 15n],
  ])("converts %d SOL to lamports", (sol, lamports) => {
    expect(lamportsOfSol(sol)).toBe(lamports);
  });
});

describe("feesOfFirst", () => {
  it("spends 16 % of the budget on priority, rounded down", () => {
    expect(feesOfFirst(1_000_000n, 100_000)).toEqual({
      priority: 160_000n,
      tip: 0n,
      microLamportsPerUnit: 1_600_000n,
    });
    expect(feesOfFirst(18n, 7)).toEqual({ priority: 2n, tip: 0n, microLamportsPerUnit: 285_714n });
    expect(feesOfFirst(0n, 200_000)).toEqual({ priority: 0n, tip: 0n, microLamportsPerUnit: 0n });
  });

  it("gives a relay 30 % of the priority share, or its lowest tip if the share suffices", () => {
    const tipOf = (budget: bigint, least: bigint) => feesOfFirst(budget, 100_000, least).tip;
    expect(tipOf(1_000_000n, 48_000n)).toBe(48_000n);
    expect(tipOf(1_000_000n, 48_001n)).toBe(48_001n);
    expect(tipOf(1_000_000n, 1_000n)).toBe(48_000n);
    expect(feesOfFirst(1_000_000n, 100_000, 160_000n)).toEqual({
      priority: 0n,
      tip: 160_000n,
      microLamportsPerUnit: 0n,
    });
    expect(tipOf(1_000_000n, 160_001n)).toBe(160_000n);
  });
});

describe("leastBudget", () => {
  it("returns the lowest budget whose first attempt can pay the relay", () => {
    expect([0n, 1n, 2n, 1_000n].map(leastBudget)).toEqual([0n, 7n, 13n, 6_250n]);
  });
});

describe("solNetworkFee", () => {
  it("expects the fee of one attempt, and reserves the fees of all transactions", () => {
    const first = feesOfFirst(1_000_000n, 150_000, 1_000n);
    const pool = { venue: "raydium-cpmm", pool: "a", config: "c" } as const;
    expect(solNetworkFee(1_000_000n, 5_000n, first, { attempts: 6, routes: [pool] })).toEqual({
      expected: 165_000n,
      max: 1_035_000n,
      priority: 112_000n,
      tip: 48_000n,
    });
  });

  it("counts the signature of Jupiter's helper in each attempt that may have one", () => {
    const first = feesOfFirst(1_000_000n, 150_000);
    const pool = { venue: "raydium-cpmm", pool: "a", config: "c" } as const;
    const jupiter = { venue: "jupiter-metis" } as const;
    const feeBy = (...routes: Parameters<typeof solNetworkFee>[3]["routes"]) =>
      solNetworkFee(1_000_000n, 5_000n, first, { attempts: 6, routes });
    expect(feeBy(jupiter)).toMatchObject({ expected: 170_000n, max: 1_065_000n });
    expect(feeBy(pool, jupiter)).toMatchObject({ expected: 165_000n, max: 1_065_000n });
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
  ])("adds a fifth to %d compute units", (simulated, units) => {
    expect(unitLimitFor(simulated)).toBe(units);
  });
});

describe("jointCosts", () => {
  it("returns the higher of both hosts' costs", () => {
    const rents = { marker: 897_840n, wsol: 2_039_280n, tokenAccount: 0n, market: 0n };
    const a = { computeUnitLimit: 60_000, baseFee: 5_000n, rents, marketPrice: 7n };
    const b = {
      computeUnitLimit: 50_000,
      baseFee: 5_001n,
      marketPrice: 8n,
      rents: { ...rents, marker: 1n, tokenAccount: 2n },
    };
    const joint = {
      computeUnitLimit: 60_000,
      baseFee: 5_001n,
      marketPrice: 8n,
      rents: { ...rents, tokenAccount: 2n },
    };
    expect([jointCosts(a, b), jointCosts(b, a)]).toEqual([joint, joint]);
  });
});

describe("medianOf", () => {
  it("returns the middle value, or the upper of two middle ones", () => {
    expect([[], [3n], [9n, 1n], [10n, 9n, 100n]].map(medianOf)).toEqual([0n, 3n, 9n, 10n]);
  });
});
