import { describe, expect, it } from "vitest";
import { networks } from "../../../lib/core/network.ts";
import { chainFacts, defaultOrderSettings, tradingChains } from "../../../lib/trading/core/trading-chain.ts";

describe("tradingChains", () => {
  it("are networks of wallets, each with its own chain id", () => {
    expect(networks).toEqual(expect.arrayContaining([...tradingChains]));
    expect(tradingChains.map((chain) => chainFacts[chain].chainId)).toEqual([1, 8453, 56, 43114]);
  });
});

describe("defaultOrderSettings", () => {
  it("are the users' default settings where these exist, without those that do not apply to orders", () => {
    const common = { slippage: 1, gasPreset: "medium", mevProtection: true };
    expect(defaultOrderSettings).toEqual({
      eth: { ...common, maxGasPrice: 100 },
      base: { ...common, maxGasPrice: 5 },
      bsc: { ...common, maxGasPrice: 10 },
      avax: { ...common, maxGasPrice: 50 },
    });
  });
});
