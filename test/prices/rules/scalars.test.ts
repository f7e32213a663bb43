import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { decimalText, PositiveDecimal } from "../../../lib/prices/scalars.ts";

describe("a number as a decimal", () => {
  it("reads as the same number, without an exponent and with no digit too many", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1e15, noNaN: true }), (number) => {
        const text = decimalText(number);
        expect(Number(text)).toBe(number);
        expect(text).toMatch(/^\d+(\.\d+)?$/);
        const shortest = String(number);
        if (!shortest.includes("e")) expect(text).toBe(shortest);
      }),
    );
  });

  it("is a price only if it is more than nothing", () => {
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.integer()), (number) => {
        if (v.is(PositiveDecimal, decimalText(number))) expect(number).toBeGreaterThan(0);
      }),
    );
  });
});
