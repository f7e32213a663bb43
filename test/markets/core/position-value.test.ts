import { describe, expect, it } from "vitest";
import { type Decimal, parseDecimal } from "../../../lib/core/decimal.ts";
import { positionValue } from "../../../lib/markets/core/position-value.ts";

const price = (text: string) => parseDecimal(text) as Decimal;

describe("positionValue", () => {
  it.each([
    [
      "eth",
      "1000",
      "0.1",
      "0.000123456789012345",
      { value: "0.123456789012345", unrealizedPnl: "0.023456789012345" },
    ],
    ["eth", "0.5", "0.1", "0.1", { value: "0.05", unrealizedPnl: "-0.05" }],
    ["eth", "3", undefined, "2", { value: "6" }],
    // Rounds half to even, to 18 decimal places on eth and 9 on sol.
    ["eth", "0.5", "0", "0.000000000000000001", { value: "0", unrealizedPnl: "0" }],
    [
      "eth",
      "1.5",
      "0",
      "0.000000000000000001",
      { value: "0.000000000000000002", unrealizedPnl: "0.000000000000000002" },
    ],
    ["sol", "0.0000000015", "0", "1", { value: "0.000000002", unrealizedPnl: "0.000000002" }],
    ["eth", `${"9".repeat(40)}.${"9".repeat(40)}`, undefined, "1", { value: `1${"0".repeat(40)}` }],
  ] as const)("returns, on %s, %s for %s at %s", (chain, amount, cost, at, value) => {
    expect(positionValue({ chain, amount, cost }, price(at))).toEqual(value);
  });

  it("subtracts the network fees of the purchases only from the net profit", () => {
    const held = { chain: "eth", amount: "4", cost: "1.5", costFees: "0.6" } as const;
    const profit = { unrealizedPnl: "0.5", netUnrealizedPnl: "-0.1" };
    expect(positionValue(held, price("0.5"))).toEqual({ value: "2", ...profit });
  });

  it.each(["", "-1", "1e3", "1.", "0x1"])("returns no value for the amount %j", (amount) => {
    expect(positionValue({ chain: "eth", amount }, price("1"))).toBeUndefined();
  });

  it("leaves out the profit if the cost is unreadable", () => {
    expect(positionValue({ chain: "eth", amount: "1", cost: "free" }, price("1"))).toEqual({ value: "1" });
  });
});
