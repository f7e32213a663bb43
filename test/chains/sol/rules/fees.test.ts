import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mostAttempts } from "../../../../lib/chains/sol/rules/attempts.ts";
import {
  feesOfShare,
  isRent,
  isUnitLimit,
  mostFeeLamports,
  priorityLamportsOf,
  shareOf,
  shareOfClear,
  tipAccountFor,
} from "../../../../lib/chains/sol/rules/fees.ts";
import { orderIdFor } from "../../../../lib/core/record-ids.ts";

const lamports = fc.bigInt({ min: 0n, max: 10n ** 12n });
const units = fc.integer({ min: 1, max: 1_400_000 });

describe("shareOf", () => {
  it("pays more with each of three quick attempts, and keeps a share for the clear", () => {
    expect([0, 1, 2].map((earlier) => shareOf(1000n, 3, earlier))).toEqual([160n, 200n, 240n]);
    expect(shareOfClear(1000n)).toBe(100n);
  });

  it("divides the rest among all other attempts of an order", () => {
    expect([4, 5, 6, 24].map((attempts) => shareOf(1000n, attempts, 3))).toEqual([300n, 150n, 100n, 14n]);
  });

  it("never exceeds the budget, even if all messages are sent", () => {
    fc.assert(
      fc.property(lamports, fc.integer({ min: 1, max: mostAttempts }), (budget, attempts) => {
        const swaps = Array.from({ length: attempts }, (_, earlier) => shareOf(budget, attempts, earlier));
        expect(swaps.reduce((a, b) => a + b, shareOfClear(budget))).toBeLessThanOrEqual(budget);
      }),
    );
  });
});

describe("tipAccountFor", () => {
  const accounts = ["a", "b", "c", "d", "e", "f", "g", "h"];

  it("shares out orders to all accounts, each order to the same one each time", () => {
    const ids = Array.from({ length: 200 }, () => orderIdFor(randomUUID(), "", new Date()));
    const chosen = ids.map((orderId) => tipAccountFor(orderId, accounts));
    expect(new Set(chosen)).toEqual(new Set(accounts));
    expect(ids.map((orderId) => tipAccountFor(orderId, accounts))).toEqual(chosen);
  });

  it("chooses none if there is none", () => {
    expect(tipAccountFor("order1", [])).toBeUndefined();
  });
});

describe("feesOfShare", () => {
  it("spends the whole share on priority if there is no relay", () => {
    expect(feesOfShare(20_000n, 100_000)).toEqual({ microLamportsPerUnit: 200_000n, tipLamports: 0n });
  });

  it.each([
    [1000n, 300n, "its part of the share"],
    [1000n, 301n, "the relay's least, above its part"],
    [1000n, 1001n, "the share, where the relay wants more"],
  ])("splits a share of %s with a minimum tip of %s into the tip %s", (share, least) => {
    const tip = least > share ? share : least;
    expect(feesOfShare(share, 1000, least)).toEqual({
      tipLamports: tip,
      microLamportsPerUnit: (share - tip) * 1000n,
    });
  });

  it("never exceeds the share, however amounts are rounded", () => {
    fc.assert(
      fc.property(lamports, units, fc.option(lamports, { nil: undefined }), (share, limit, least) => {
        const fees = feesOfShare(share, limit, least);
        const paid = priorityLamportsOf({ ...fees, computeUnitLimit: limit }) + fees.tipLamports;
        expect(paid).toBeLessThanOrEqual(share);
      }),
    );
  });
});

describe("priorityLamportsOf", () => {
  it("rounds the priority fee up to the lamport", () => {
    const at = (microLamportsPerUnit: bigint) =>
      priorityLamportsOf({ microLamportsPerUnit, computeUnitLimit: 1000 });
    expect([0n, 1n, 1000n, 1001n].map(at)).toEqual([0n, 1n, 1n, 2n]);
  });
});

describe("mostFeeLamports", () => {
  it("adds up the signatures, the priority fee and the tip", () => {
    const fees = { signatures: 2, computeUnitLimit: 1000, microLamportsPerUnit: 7000n, tipLamports: 11n };
    expect(mostFeeLamports(fees, 5000n)).toBe(10_000n + 7n + 11n);
  });
});

describe("upper limits of the signer", () => {
  it("allows rents up to those of 2025, and no higher ones", () => {
    expect([1n, 897_840n, 897_841n].map((rent) => isRent("marker", rent))).toEqual([true, true, false]);
    expect([1n, 2_039_280n, 2_039_281n].map((rent) => isRent("wsol", rent))).toEqual([true, true, false]);
  });

  it("allows no account without lamports, because blocks do not keep empty accounts", () => {
    const rents = [-1n, 0n];
    expect(rents.filter((rent) => isRent("marker", rent) || isRent("wsol", rent))).toEqual([]);
  });

  it("allows at most the chain's compute units", () => {
    expect([0, 1, 1.5, 1_400_000, 1_400_001, Number.NaN].map(isUnitLimit)).toEqual([
      ...[false, true, false, true, false, false],
    ]);
  });
});
