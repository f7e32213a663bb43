import { describe, expect, it } from "vitest";
import { roundedDown } from "../../lib/orders/percent.ts";

describe("roundedDown", () => {
  it.each([
    [99.99999, 99.9999],
    [0.00019999, 0.0001],
    [0.0001, 0.0001],
    [0.57, 0.57],
    [100, 100],
  ])("reads a stored slippage of %d as %d", (stored, slippage) => {
    expect(roundedDown(stored)).toBe(slippage);
  });
});
