import { describe, expect, it } from "vitest";
import { programs } from "../../../../lib/chains/sol/calls/addresses.ts";
import type { Mint } from "../../../../lib/chains/sol/calls/mint.ts";
import { flagsOfMint, safetyOfMint } from "../../../../lib/chains/sol/calls/mint-safety.ts";

const plain: Mint = {
  program: programs.token2022,
  decimals: 6,
  supply: 5n,
  transferFees: [],
  accountBytes: 170,
  isDefaultFrozen: false,
  isNonTransferable: false,
  isPausable: false,
  isPaused: false,
  isScaled: false,
};

describe("flagsOfMint", () => {
  it.each<[string, Partial<Mint>]>([
    ["FREEZABLE", { freezeAuthority: programs.token }],
    ["MINTABLE", { mintAuthority: programs.token }],
    ["HOOKED", { hookProgram: programs.token }],
    ["HOOKED", { hookProgram: programs.token, hookAuthority: programs.token }],
    ["HOOKABLE", { hookAuthority: programs.token }],
    ["TAXABLE", { feeAuthority: programs.token }],
    ["SEIZABLE", { permanentDelegate: programs.token }],
    ["FROZEN_BY_DEFAULT", { isDefaultFrozen: true }],
    ["PAUSABLE", { isPausable: true }],
    ["NON_TRANSFERABLE", { isNonTransferable: true }],
    ["SCALED", { isScaled: true }],
  ])("returns the flag %s for the mint %j", (flag, changes) => {
    expect(flagsOfMint({ ...plain, ...changes })).toEqual([flag]);
  });

  it("returns no flags for a plain mint", () => {
    expect(flagsOfMint(plain)).toEqual([]);
  });
});

describe("safetyOfMint", () => {
  it("uses the higher of the fees in this epoch and the next", () => {
    const transferFees = [
      { fromEpoch: 3n, most: 10n, bps: 50 },
      { fromEpoch: 7n, most: 10n, bps: 1025 },
    ];
    const taxIn = (epoch: bigint, fees = transferFees) => {
      const { buyTax, sellTax } = safetyOfMint({ ...plain, transferFees: fees }, epoch, true);
      expect(sellTax).toBe(buyTax);
      return buyTax;
    };
    expect([5n, 6n, 7n].map((epoch) => taxIn(epoch))).toEqual([0.5, 10.25, 10.25]);
    const falling = [transferFees[1], { fromEpoch: 9n, most: 10n, bps: 1 }] as typeof transferFees;
    expect([7n, 8n, 9n].map((epoch) => taxIn(epoch, falling))).toEqual([10.25, 10.25, 0.01]);
    const free = transferFees.map((fee) => ({ ...fee, most: 0n }));
    expect([taxIn(7n, free), taxIn(7n, [])]).toEqual([0, 0]);
  });

  it.each<[Partial<Mint>, boolean | null, boolean | null]>([
    [{}, true, true],
    [{}, false, false],
    [{}, null, null],
    [{ isPausable: true }, true, true],
    [{ hookProgram: programs.token }, null, null],
    [{ isPaused: true }, null, false],
    [{ isDefaultFrozen: true }, true, false],
    [{ isNonTransferable: true }, null, false],
  ])("judges from %j and the simulation's result %j that sellable is %j", (changes, simulated, sellable) => {
    expect(safetyOfMint({ ...plain, ...changes }, 1n, simulated)).toMatchObject({ sellable, hasLoss: false });
  });
});
