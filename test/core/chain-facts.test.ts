import { describe, expect, it } from "vitest";
import { chainFacts, evmChains, isEvmChain, tradingChains } from "../../lib/core/chain-facts.ts";
import { networks } from "../../lib/core/network.ts";

describe("evmChains", () => {
  it("lists the wallet networks, each with its own chain id", () => {
    expect(networks).toEqual(expect.arrayContaining([...evmChains]));
    expect(evmChains.map((chain) => chainFacts[chain].chainId)).toEqual([1, 8453, 56, 43114]);
  });
});

describe("tradingChains", () => {
  it("lists the chains of both families, EVM and sol", () => {
    expect([...tradingChains].toSorted()).toEqual([...networks].toSorted());
    expect(tradingChains.filter((chain) => !isEvmChain(chain))).toEqual(["sol"]);
  });
});
