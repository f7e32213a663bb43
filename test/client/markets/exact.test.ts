import { compare, type Exact, exact, plus, textOf, times } from "trading-terminal-client/markets";
import { describe, expect, it } from "vitest";

const number = (text: string) => exact(text) as Exact;

describe("exact decimals", () => {
  it.each([
    ["1000.000698261973754092", "-0.1", "999.900698261973754092"],
    ["0.1", "0.2", "0.3"],
    ["0.1", "-0.1", "0"],
    ["9", "1", "10"],
  ])("adds %s and %s to the last digit", (a, b, sum) => {
    expect(textOf(plus(number(a), number(b)))).toBe(sum);
  });

  it("multiplies decimals without rounding", () => {
    expect(textOf(times(number("1.000000000000000001"), number("-1.000000000000000001")))).toBe(
      "-1.000000000000000002000000000000000001",
    );
  });

  it("compares decimals by value", () => {
    expect(compare(number("10"), number("9.999999999999999999"))).toBeGreaterThan(0);
    expect(compare(number("0.10"), number("0.1"))).toBe(0);
    expect(compare(number("-9"), number("8"))).toBeLessThan(0);
  });

  it.each(["", ".5", "1.", "1e3", "+1", "1,5", "0x1", " 1", "one"])(
    "rejects the malformed decimal %j",
    (text) => {
      expect(exact(text)).toBeUndefined();
    },
  );
});
