import { describe, expect, it } from "vitest";
import { compared, isAmount, minus, share } from "../app/exact.ts";

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

  it("compares numbers of different lengths", () => {
    expect(compared("10", "9.999999999999999999")).toBeGreaterThan(0);
    expect(compared("0.10", "0.1")).toBe(0);
    expect(compared("9", "10")).toBeLessThan(0);
  });

  it("accepts only plain numbers above 0 as amounts", () => {
    expect(["0.1", "1", ".5", "007"].filter(isAmount)).toEqual(["0.1", "1", ".5", "007"]);
    expect(["", "0", "0.0", "1.", "-1", "1e3", "1,5", "one"].filter(isAmount)).toEqual([]);
  });
});
