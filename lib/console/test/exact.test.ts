import { describe, expect, it } from "vitest";
import { compared, cut, isAmount, minus, moved, quotient, share } from "../app/exact.ts";

describe("exact decimals", () => {
  it.each([
    ["1000.000698261973754092", "0.1", "999.900698261973754092"],
    ["0.1", "0.1", "0"],
    ["0.1", "1", "-0.9"],
    ["5", "3", "2"],
  ])("calculates %s minus %s", (from, what, left) => {
    expect(minus(from, what)).toBe(left);
  });

  it.each([
    ["996.006", 99, "986.045"],
    ["0.000000000000000001", 50, "0"],
    ["200", 25, "50"],
  ])("computes the share of %s at %i percent, rounded down", (text, percent, part) => {
    expect(share(text, percent)).toBe(part);
  });

  it("divides, and moves a price to one with few digits", () => {
    expect(quotient("1", "4")).toBe("0.25");
    expect(quotient("0.1", "0.00008")).toBe("1250");
    expect(moved("0.000100534123", -10)).toBe("0.0000904807");
    expect(moved("3", 25)).toBe("3.75");
  });

  it("cuts only decimal places, and never rounds up", () => {
    expect(["1.99999999", "0.00012345678", "1234567.89", "5"].map(cut)).toEqual([
      "1.99999",
      "0.000123456",
      "1234567",
      "5",
    ]);
  });

  it("compares numbers of different lengths", () => {
    expect(compared("10", "9.999999999999999999")).toBeGreaterThan(0);
    expect(compared("0.10", "0.1")).toBe(0);
    expect(compared("9", "10")).toBeLessThan(0);
  });

  it("accepts only plain numbers above 0 as amounts", () => {
    expect(["0.1", "1", "007"].filter(isAmount)).toEqual(["0.1", "1", "007"]);
    expect(["", ".5", "0", "0.0", "1.", "-1", "1e3", "1,5", "one"].filter(isAmount)).toEqual([]);
  });
});
