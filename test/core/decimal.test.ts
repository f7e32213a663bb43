import { describe, expect, it } from "vitest";
import {
  add,
  compare,
  decimalOf,
  divide,
  formatDecimal,
  multiply,
  parseDecimal,
  ratioOf,
  zero,
} from "../../lib/core/decimal.ts";

const parsed = (text: string) => {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error(`${text} is no decimal`);
  return value;
};

describe("decimal", () => {
  it("represents each value in one form", () => {
    expect(decimalOf(1200n, -2)).toEqual({ mantissa: 12n, exponent: 0 });
    expect(decimalOf(0n, 7)).toEqual(zero);
  });

  it.each([
    [1_000_000_000_000_000_005n, "1000000000000000000"],
    [1_000_000_000_000_000_015n, "1000000000000000020"],
    [999_999_999_999_999_999_9n, "10000000000000000000"],
  ])("rounds %s half-even to 18 digits", (units, text) => {
    expect(formatDecimal(decimalOf(units, 0))).toBe(text);
  });

  it("rounds up if the remainder is slightly above half", () => {
    const half = 10n ** 18n * 2n + 5n;
    const divisor = 10n ** 40n;
    expect(formatDecimal(ratioOf(half * divisor + 1n, divisor))).toBe("2000000000000000010");
    expect(formatDecimal(ratioOf(half * divisor, divisor))).toBe("2000000000000000000");
  });

  it.each([
    [1n, 3n, "0.333333333333333333"],
    [2n, 3n, "0.666666666666666667"],
    [10n ** 60n, 1n, `1${"0".repeat(60)}`],
    [1n, 10n ** 60n, `0.${"0".repeat(59)}1`],
    [0n, 5n, "0"],
  ])("divides %s by %s", (dividend, divisor, text) => {
    expect(formatDecimal(ratioOf(dividend, divisor))).toBe(text);
  });

  it("adds, multiplies, divides and compares decimals", () => {
    expect(formatDecimal(add(parsed("0.1"), parsed("20")))).toBe("20.1");
    expect(formatDecimal(multiply(parsed("0.25"), parsed("400")))).toBe("100");
    expect(formatDecimal(divide(parsed("1"), parsed("0.008")))).toBe("125");
    expect(divide(zero, parsed("3"))).toEqual(zero);
    expect(compare(parsed("0.30"), parsed("0.3"))).toBe(0);
    expect(compare(parsed("2"), parsed("10"))).toBeLessThan(0);
  });

  it.each(["", ".5", "5.", "-1", "1e5", "0x1", "1,5"])("rejects %j", (text) => {
    expect(parseDecimal(text)).toBeUndefined();
  });
});
