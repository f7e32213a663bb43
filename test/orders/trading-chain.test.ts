import { describe, expect, it } from "vitest";
import { networks } from "../../lib/core/network.ts";
import {
  chainFacts,
  defaultOrderSettings,
  evmChains,
  isEvmChain,
  orderSettingsOf,
  solOrderSettingsOf,
  tradingChains,
} from "../../lib/orders/trading-chain.ts";

describe("evmChains", () => {
  it("are networks of wallets, each with its own chain id", () => {
    expect(networks).toEqual(expect.arrayContaining([...evmChains]));
    expect(evmChains.map((chain) => chainFacts[chain].chainId)).toEqual([1, 8453, 56, 43114]);
  });
});

describe("tradingChains", () => {
  it("are those of both families", () => {
    expect([...tradingChains].toSorted()).toEqual([...networks].toSorted());
    expect(tradingChains.filter((chain) => !isEvmChain(chain))).toEqual(["sol"]);
  });
});

describe("solOrderSettingsOf", () => {
  it("has what orders need, with four decimal places of slippage, rounded down", () => {
    expect(solOrderSettingsOf()).toEqual({ slippage: 1, priorityFee: 0.001, mevProtection: true });
    const stored = { slippage: 1.23456, priorityFee: 0, mevProtection: false, autoBuy: true };
    expect(solOrderSettingsOf(stored)).toEqual({ slippage: 1.2345, priorityFee: 0, mevProtection: false });
  });

  it.each([
    [99.99999, 99.9999],
    [0.00019999, 0.0001],
    [0.0001, 0.0001],
    [0.57, 0.57],
    [100, 100],
  ])("reads a stored slippage of %d as %d", (stored, slippage) => {
    expect(solOrderSettingsOf({ slippage: stored })).toMatchObject({ slippage });
    expect(orderSettingsOf("eth", { slippage: stored })).toMatchObject({ slippage });
  });
});

describe("orderSettingsOf", () => {
  it("keeps the highest gas price beside an unreadable slippage, so that open orders can be signed", () => {
    const stored = { slippage: null as unknown as number, maxGasPrice: 7 };
    expect(orderSettingsOf("eth", stored)).toMatchObject({ maxGasPrice: 7 });
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
