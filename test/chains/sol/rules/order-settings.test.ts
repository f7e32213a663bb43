import { describe, expect, it } from "vitest";
import { solOrderSettingsOf } from "../../../../lib/chains/sol/rules/order-settings.ts";

describe("solOrderSettingsOf", () => {
  it("returns the settings of orders, with slippage rounded down to four decimal places", () => {
    expect(solOrderSettingsOf()).toEqual({ slippage: 1, priorityFee: 0.001, mevProtection: true });
    const stored = { slippage: 1.23456, priorityFee: 0, mevProtection: false, autoBuy: true };
    expect(solOrderSettingsOf(stored)).toEqual({ slippage: 1.2345, priorityFee: 0, mevProtection: false });
  });
});
