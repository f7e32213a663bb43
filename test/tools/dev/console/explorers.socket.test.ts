import { describe, expect, it } from "vitest";
import { exampleSolWallet, exampleWallet } from "../../../../lib/tools/dev/chains/example-wallets.ts";
import { explorerPage, isAddressOn } from "../../../../lib/tools/dev/console/app/explorers.ts";

const hash = `0x${"ab".repeat(32)}`;
const signature = "5".repeat(88);
const { address } = exampleWallet;
const mint = exampleSolWallet.address;
const none: ReadonlySet<string> = new Set();

describe("explorerPage", () => {
  it("names the explorer of each chain", () => {
    const sites = (["eth", "base", "bsc", "avax"] as const).map((chain) =>
      explorerPage(none, chain, "transaction", hash),
    );
    const hosts = ["etherscan.io", "basescan.org", "bscscan.com", "snowtrace.io"];
    expect(sites).toEqual(hosts.map((host) => `https://${host}/tx/${hash}`));
    expect(explorerPage(none, "sol", "transaction", signature)).toBe(`https://solscan.io/tx/${signature}`);
  });

  it("names the pages of wallets and tokens", () => {
    expect(explorerPage(none, "base", "wallet", address)).toBe(`https://basescan.org/address/${address}`);
    expect(explorerPage(none, "base", "token", address)).toBe(`https://basescan.org/token/${address}`);
    expect(explorerPage(none, "sol", "wallet", mint)).toBe(`https://solscan.io/account/${mint}`);
    expect(explorerPage(none, "sol", "token", mint)).toBe(`https://solscan.io/token/${mint}`);
  });

  it("has no page of a local chain, nor before it knows which are local", () => {
    expect(explorerPage(new Set(["sol"]), "sol", "token", mint)).toBeUndefined();
    expect(explorerPage(undefined, "sol", "token", mint)).toBeUndefined();
    expect(explorerPage(new Set(["sol"]), "eth", "token", address)).toBeDefined();
  });

  it("makes no link of text that another engine may have recorded", () => {
    for (const id of ["", "../login", `${hash}?x`, mint, `${hash}\n`])
      expect(explorerPage(none, "eth", "transaction", id)).toBeUndefined();
    expect(explorerPage(none, "sol", "wallet", address)).toBeUndefined();
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
