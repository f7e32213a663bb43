import { describe, expect, it } from "vitest";
import { explorerPage, explorersFor, isAddressOn } from "../app/explorers.ts";

const hash = `0x${"ab".repeat(32)}`;
const signature = "5".repeat(88);
const address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const mint = "So11111111111111111111111111111111111111112";
const all = explorersFor({});

describe("explorerPage", () => {
  it("names the explorer of each chain", () => {
    const sites = (["eth", "base", "bsc", "avax"] as const).map((chain) =>
      explorerPage(all, chain, "transaction", hash),
    );
    const hosts = ["etherscan.io", "basescan.org", "bscscan.com", "snowtrace.io"];
    expect(sites).toEqual(hosts.map((host) => `https://${host}/tx/${hash}`));
    expect(explorerPage(all, "sol", "transaction", signature)).toBe(`https://solscan.io/tx/${signature}`);
  });

  it("names the pages of wallets and tokens", () => {
    expect(explorerPage(all, "base", "wallet", address)).toBe(`https://basescan.org/address/${address}`);
    expect(explorerPage(all, "base", "token", address)).toBe(`https://basescan.org/token/${address}`);
    expect(explorerPage(all, "sol", "wallet", mint)).toBe(`https://solscan.io/account/${mint}`);
    expect(explorerPage(all, "sol", "token", mint)).toBe(`https://solscan.io/token/${mint}`);
  });

  it("has no page of a local chain, unless one is configured, nor before it knows which are local", () => {
    expect(explorerPage(explorersFor({ sol: {} }), "sol", "token", mint)).toBeUndefined();
    expect(explorerPage(explorersFor(undefined), "sol", "token", mint)).toBeUndefined();
    expect(explorerPage(explorersFor({ sol: {} }), "eth", "token", address)).toBeDefined();
    const configured = explorersFor({ sol: {} }, { sol: "http://127.0.0.1:5100" });
    expect(explorerPage(configured, "sol", "token", mint)).toBe(`http://127.0.0.1:5100/token/${mint}`);
  });

  it("makes no link of text that another engine may have recorded", () => {
    for (const id of ["", "../login", `${hash}?x`, mint, `${hash}\n`])
      expect(explorerPage(all, "eth", "transaction", id)).toBeUndefined();
    expect(explorerPage(all, "sol", "wallet", address)).toBeUndefined();
  });
});

describe("isAddressOn", () => {
  it("tells addresses of EVM chains from those of sol", () => {
    expect(isAddressOn("eth", address)).toBe(true);
    expect(isAddressOn("eth", mint)).toBe(false);
    expect(isAddressOn("sol", mint)).toBe(true);
    expect(isAddressOn("sol", address)).toBe(false);
    expect(isAddressOn("sol", `${mint}0`)).toBe(false);
  });
});
