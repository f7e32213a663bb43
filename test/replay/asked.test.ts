import { describe, expect, it } from "vitest";
import { respects } from "./asked.ts";

describe("respects", () => {
  it.each([
    ["sell", 10n, 11n, true],
    ["sell", 10n, 10n, false],
    ["buy", 11n, 10n, true],
    ["buy", 12n, 10n, false],
  ] as const)("compares a %s of %d units for %d with a price of 1.1", (side, spent, received, is) => {
    expect(respects(side, { coins: 11n, tokens: 10n }, { spent, received })).toBe(is);
  });
});
