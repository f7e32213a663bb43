import { describe, expect, it } from "vitest";
import { evmOrderSettingsOf } from "../../../../lib/chains/evm/rules/order-settings.ts";
import { evmChains } from "../../../../lib/core/chain-facts.ts";

describe("evmOrderSettingsOf", () => {
  it("returns the user's settings, with slippage rounded down to four decimal places", () => {
    expect(evmOrderSettingsOf("base", { slippage: 1.23456, gasPreset: "fast", autoBuy: true })).toEqual({
      slippage: 1.2345,
      gasPreset: "fast",
      maxGasPrice: 5,
      mevProtection: true,
    });
  });

  it("keeps the highest gas price despite an unreadable slippage, so that open orders can be signed", () => {
    const stored = { slippage: null as unknown as number, maxGasPrice: 7 };
    expect(evmOrderSettingsOf("eth", stored)).toMatchObject({ maxGasPrice: 7 });
  });

  it("falls back to the user's default settings, except for fields that do not apply to orders", () => {
    const common = { slippage: 1, gasPreset: "medium", mevProtection: true };
    expect(evmChains.map((chain) => evmOrderSettingsOf(chain))).toEqual([
      { ...common, maxGasPrice: 100 },
      { ...common, maxGasPrice: 5 },
      { ...common, maxGasPrice: 10 },
      { ...common, maxGasPrice: 50 },
    ]);
  });
});
