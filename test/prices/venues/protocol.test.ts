import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { decimalText, PositiveDecimal } from "../../../lib/prices/venues/protocol.ts";

describe("decimalText", () => {
  it("parses to the same number, without an exponent or unneeded digits", () => {
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

  it("yields a PositiveDecimal only for a positive number", () => {
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.integer()), (number) => {
        if (v.is(PositiveDecimal, decimalText(number))) expect(number).toBeGreaterThan(0);
      }),
    );
  });
});
