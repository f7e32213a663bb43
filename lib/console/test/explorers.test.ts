import { describe, expect, it } from "vitest";
import { explorerPage, isAddressOn } from "../app/explorers.ts";

const hash = `0x${"ab".repeat(32)}`;
const signature = "5".repeat(88);
const address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const mint = "So11111111111111111111111111111111111111112";
const all = { eth: "https://eth.test", base: "https://base.test", sol: "https://sol.test" };

describe("explorerPage", () => {
  it("links to the pages of transactions, wallets and tokens", () => {
    expect(explorerPage(all, "eth", "transaction", hash)).toBe(`https://eth.test/tx/${hash}`);
    expect(explorerPage(all, "base", "wallet", address)).toBe(`https://base.test/address/${address}`);
    expect(explorerPage(all, "base", "token", address)).toBe(`https://base.test/token/${address}`);
    expect(explorerPage(all, "sol", "transaction", signature)).toBe(`https://sol.test/tx/${signature}`);
    expect(explorerPage(all, "sol", "wallet", mint)).toBe(`https://sol.test/account/${mint}`);
    expect(explorerPage(all, "sol", "token", mint)).toBe(`https://sol.test/token/${mint}`);
  });

  it("makes no link for a chain without an explorer", () => {
    expect(explorerPage(all, "bsc", "token", address)).toBeUndefined();
    expect(explorerPage({}, "sol", "token", mint)).toBeUndefined();
  });

  it("makes no link from text that another engine may have recorded", () => {
    for (const id of ["", "../login", `${hash}?x`, mint, `${hash}\n`])
      expect(explorerPage(all, "eth", "transaction", id)).toBeUndefined();
    expect(explorerPage(all, "sol", "wallet", address)).toBeUndefined();
  });
});

describe("isAddressOn", () => {
  it("accepts an address only on chains with the address's format", () => {
    expect(isAddressOn("eth", address)).toBe(true);
    expect(isAddressOn("eth", mint)).toBe(false);
    expect(isAddressOn("sol", mint)).toBe(true);
    expect(isAddressOn("sol", address)).toBe(false);
    expect(isAddressOn("sol", `${mint}0`)).toBe(false);
  });
});
