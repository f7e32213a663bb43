import { describe, expect, it } from "vitest";
import { givenLimits, type Limits, noLimits, wrongLimits } from "../../app/ticket/order-limits.ts";

const limits: Limits = {
  slippage: "2",
  gasPreset: "fast",
  maxGasPrice: "30",
  priorityFee: "0.000000001",
  mevProtection: "off",
};

describe("wrongLimits", () => {
  it.each(["1,5", "1.5.", "x", "-1", "1e3", ".", ".5"])("rejects a limit with the text %j", (slippage) => {
    expect(wrongLimits("eth", { ...limits, slippage }, false)).toEqual({ slippage: expect.any(String) });
  });

  it("rejects a slippage that the service would refuse", () => {
    expect(wrongLimits("eth", { ...limits, slippage: "500" }, false)).toHaveProperty("slippage");
    expect(wrongLimits("eth", { ...limits, slippage: "60" }, false)).toEqual({});
    expect(wrongLimits("eth", { ...limits, slippage: "60" }, true)).toHaveProperty("slippage");
  });

  it("accepts numbers, empty text, and any text in limits of other chains", () => {
    for (const slippage of ["", "0", "0.5", "1.5"])
      expect(wrongLimits("sol", { ...limits, slippage, maxGasPrice: "x" }, false)).toEqual({});
  });
});

describe("givenLimits", () => {
  it("sends gas limits to EVM chains, and a priority fee to sol", () => {
    const common = { slippage: 2, mevProtection: false };
    expect(givenLimits("sol", limits)).toEqual({ ...common, priorityFee: 1e-9 });
    for (const chain of ["eth", "base", "bsc", "avax"] as const)
      expect(givenLimits(chain, limits)).toEqual({ ...common, gasPreset: "fast", maxGasPrice: 30 });
  });

  it("leaves out empty limits, so that the settings apply, but keeps a priority fee of 0", () => {
    expect(givenLimits("sol", noLimits)).toEqual({});
    expect(givenLimits("eth", noLimits)).toEqual({});
    expect(givenLimits("sol", { ...noLimits, priorityFee: "0", mevProtection: "on" })).toEqual({
      priorityFee: 0,
      mevProtection: true,
    });
  });
});
