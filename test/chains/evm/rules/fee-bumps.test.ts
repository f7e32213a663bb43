import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bumpDueMs, bumped, replaces } from "../../../../lib/chains/evm/rules/fee-bumps.ts";

const fee = fc.bigInt({ min: 1n, max: 10n ** 12n });
const fees = fc
  .tuple(fee, fee)
  .map(([a, b]) => ({ maxFeePerGas: a > b ? a : b, maxPriorityFeePerGas: a > b ? b : a }));

describe("bumped", () => {
  it("raises fees by at least an eighth, and never above the cap", () => {
    fc.assert(
      fc.property(fees, fees, fee, (last, wanted, cap) => {
        const next = bumped(last, wanted, cap);
        if (next === undefined) return;
        expect(replaces(next, last)).toBe(true);
        expect(next.maxFeePerGas * 8n >= last.maxFeePerGas * 9n).toBe(true);
        expect(next.maxFeePerGas <= cap && next.maxPriorityFeePerGas <= next.maxFeePerGas).toBe(true);
      }),
    );
  });

  it("returns undefined only if fees raised by an eighth would exceed the cap", () => {
    const last = { maxFeePerGas: 80n, maxPriorityFeePerGas: 8n };
    expect(bumped(last, last, 90n)).toEqual({ maxFeePerGas: 90n, maxPriorityFeePerGas: 9n });
    expect(bumped(last, last, 89n)).toBeUndefined();
  });

  it("uses the desired fees if they are more than an eighth above the previous ones", () => {
    const last = { maxFeePerGas: 80n, maxPriorityFeePerGas: 8n };
    const wanted = { maxFeePerGas: 300n, maxPriorityFeePerGas: 20n };
    expect(bumped(last, wanted, 200n)).toEqual({ maxFeePerGas: 200n, maxPriorityFeePerGas: 20n });
  });
});

describe("bumpDueMs", () => {
  it.each([
    ["turbo", 12],
    ["fast", 24],
    ["medium", 60],
    ["slow", Number.POSITIVE_INFINITY],
  ] as const)("raises the fees of the preset %s after %d seconds", (preset, seconds) => {
    expect(bumpDueMs(preset, 7)).toBe(7 + seconds * 1000);
  });
});
