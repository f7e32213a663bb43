import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatAmount, formatPrice, parseAmount } from "../../lib/orders/decimal-text.ts";

const decimals = fc.integer({ min: 0, max: 36 });
const units = fc.bigInt({ min: 1n, max: 2n ** 130n });

describe("parseAmount", () => {
  it.each([
    ["0.5", 18, 500000000000000000n],
    ["12", 0, 12n],
    ["1.50", 2, 150n],
    ["007", 6, 7000000n],
  ])("parses %s with %d decimals", (text, places, expected) => {
    expect(parseAmount(text, places)).toBe(expected);
  });

  it.each([
    ["", 18, /decimal number/],
    ["-1", 18, /decimal number/],
    ["+1", 18, /decimal number/],
    [".5", 18, /decimal number/],
    ["5.", 18, /decimal number/],
    ["1e3", 18, /decimal number/],
    [" 1", 18, /decimal number/],
    ["1\n", 18, /decimal number/],
    ["٣", 18, /decimal number/],
    ["1".repeat(41), 18, /decimal number/],
    ["1.5", 0, /at most 0 decimal places/],
    ["0.0000001", 6, /at most 6 decimal places/],
    ["0", 18, /above 0/],
    ["0.000", 18, /above 0/],
    ["9".repeat(40), 38, /less than 2\^256/],
  ])("rejects %j with %d decimals", (text, places, problem) => {
    expect(parseAmount(text, places)).toEqual({ problem: expect.stringMatching(problem) });
  });

  it("accepts every amount below 2^256 units, and none above", () => {
    const last = 2n ** 256n - 1n;
    expect(parseAmount(formatAmount(last, 40), 40)).toBe(last);
    expect(parseAmount(formatAmount(last + 1n, 40), 40)).toHaveProperty("problem");
  });
});

describe("formatAmount", () => {
  it.each([
    [0n, 18, "0"],
    [500000000000000000n, 18, "0.5"],
    [12000000n, 6, "12"],
    [-2980685857159056n, 18, "-0.002980685857159056"],
    [7n, 0, "7"],
    [100n, 0, "100"],
  ])("writes %d units with %d decimals as %s", (amount, places, text) => {
    expect(formatAmount(amount, places)).toBe(text);
  });

  it("writes text that parseAmount can read, without needless zeros", () => {
    fc.assert(
      fc.property(units, decimals, (amount, places) => {
        const text = formatAmount(amount, places);
        expect(parseAmount(text, places)).toBe(amount);
        expect(text).toMatch(/^(0|[1-9]\d*)(\.\d*[1-9])?$/);
      }),
    );
  });
});

describe("formatPrice", () => {
  it("uses the decimals of the chain's coin for prices", () => {
    expect(formatPrice("sol", 500_000_000n, 5_000_000_000n, 6)).toBe("0.0001");
    expect(formatPrice("eth", 5n * 10n ** 17n, 5_000_000_000n, 6)).toBe("0.0001");
  });

  it("divides the coin amount by the token amount", () => {
    expect(formatPrice("eth", 500000000000000000n, 4960273038901078125544n, 18)).toBe(
      "0.000100800902708124373",
    );
  });

  it.each([
    ["a tie to the even digit below", 1000000000000000005n, 10n, 18, "100000000000000000"],
    ["a tie to the even digit above", 1000000000000000015n, 10n, 18, "100000000000000002"],
    ["a carry into a new digit", 9999999999999999999n, 1n, 18, "10000000000000000000"],
    ["whole numbers beyond 18 digits", 123456789012345678951n, 1n, 18, "123456789012345679000"],
    ["exact quotients not at all", 1n, 8n, 18, "0.125"],
  ])("rounds %s", (_, coins, tokens, places, text) => {
    expect(formatPrice("eth", coins, tokens, places)).toBe(text);
  });

  it("keeps at most 40 decimal places of a price, even if that leaves fewer than 18 digits", () => {
    expect(formatPrice("eth", 1n, 3n * 10n ** 38n, 18)).toBe("0.0000000000000000000000000000000000000033");
    expect(formatPrice("eth", 1n, 10n ** 77n, 18)).toBe("0");
  });

  it("rounds a price to within half a unit of its last digit", () => {
    fc.assert(
      fc.property(units, units, decimals, (coins, tokens, places) => {
        const text = formatPrice("eth", coins, tokens, places);
        const [whole = "", fraction = ""] = text.split(".");
        const digits = (whole + fraction).replace(/^0+/, "");
        expect(digits.replace(/0+$/, "").length).toBeLessThanOrEqual(18);
        expect(fraction.length).toBeLessThanOrEqual(40);
        // All values are in units of 10^-40 coins, multiplied by the divisor.
        const divisor = tokens * 10n ** 18n;
        const exact = coins * 10n ** BigInt(places) * 10n ** 40n;
        const written = BigInt(whole + fraction.padEnd(40, "0")) * divisor;
        const step = 10n ** BigInt(Math.max(0, String(exact / divisor).length - 18)) * divisor;
        const distance = exact > written ? exact - written : written - exact;
        expect(distance * 2n <= step).toBe(true);
      }),
    );
  });
});
