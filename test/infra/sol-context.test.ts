import { App } from "aws-cdk-lib";
import { describe, expect, it } from "vitest";
import { ConfigurationError, readConfiguration } from "../../lib/infra/config.ts";
import { defaultSol } from "../../lib/infra/default-chains.ts";
import { solConfigurationOf } from "../../lib/infra/sol-context.ts";
import { tradingWarnings } from "../../lib/infra/trading-context.ts";

const hosts = ["https://a.example", "https://b.example"];

const read = (sol: object, context: object = {}) =>
  readConfiguration(new App({ context: { trading: ["sol"], chains: { sol }, ...context } }).node).trading.sol;

const linesFor = (sol: object, context: object = {}) => {
  try {
    read(sol, context);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message.split("\n");
    throw error;
  }
  return [];
};

const mint = "So11111111111111111111111111111111111111112";
const usdc = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
const moon = {
  token: "vines1vzrYbzLMRdu58ou5XTby4qAqVRLmqo36NKPTg",
  symbol: "MOON",
  name: "Moon",
  decimals: 6,
};
const relay = { url: "https://relay.example", tipAccounts: [usdc], leastTip: "0.00001" };

describe("the context of sol", () => {
  it("provides defaults for everything except a relay, a payer and a limit on buys", () => {
    expect(read({ hosts })).toEqual({ ...defaultSol, hosts });
    expect(Object.keys(defaultSol)).not.toEqual(expect.arrayContaining(["relay", "payer", "maxOrder"]));
    expect(read({}, { publicHosts: true })).toEqual(defaultSol);
    expect(solConfigurationOf()).toEqual(defaultSol);
  });

  it("trades on mainnet by default, identified by its first block", () => {
    expect("5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d".slice(0, 32)).toBe(defaultSol.cluster);
    expect(defaultSol.wrapped.token).toBe("So11111111111111111111111111111111111111112");
  });

  it("accepts the defaults when they are given explicitly", () => {
    expect(read({ ...defaultSol, hosts })).toEqual({ ...defaultSol, hosts });
  });

  it("overrides the defaults, even from command-line text", () => {
    const sol = {
      hosts,
      relay,
      cluster: "EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
      cpmmConfigs: [7, 0],
      pumpTable: usdc,
      tokens: [moon],
      maxOrder: "2.5",
      maxNetworkFee: "0.01",
      baseFee: "0.000005",
      payer: usdc,
    };
    expect(read(sol)).toEqual({ ...defaultSol, ...sol });
    expect(read({}, { chains: JSON.stringify({ sol }) })).toEqual({ ...defaultSol, ...sol });
  });

  it("uses Jupiter only with a URL, which may need a key", () => {
    expect(read({ hosts })).not.toHaveProperty("jupiter");
    expect(read({ hosts, jupiter: null })).not.toHaveProperty("jupiter");
    const url = "https://api.jup.ag/swap/v2/build";
    for (const jupiter of [{ url }, { url, key: "c0ffee" }, { url, exchanges: ["Raydium CP"] }])
      expect(read({ hosts, jupiter })).toHaveProperty("jupiter", jupiter);
  });

  it.each([
    [{ url: "http://api.jup.ag/swap/v2/build" }, "https"],
    [{ url: "https://a.example", key: "c0ffee 5ec4e7" }, "1 to 200 printable characters"],
    [{ key: "c0ffee5ec4e7" }, "url"],
    [{ url: "https://a.example", keys: "c0ffee5ec4e7" }, "keys"],
  ])("reports the mistake in Jupiter's settings without revealing the API key (%#)", (jupiter, problem) => {
    const lines = linesFor({ hosts, jupiter }).join();
    expect(lines).toContain("jupiter");
    expect(lines).toContain(problem);
    expect(lines).not.toContain("5ec4e7");
  });

  it("uses no relay if the context says null", () => {
    expect(read({ hosts, relay: null })).not.toHaveProperty("relay");
  });

  it("requires hosts of the operator, unless public ones are allowed", () => {
    expect(linesFor({})).toEqual([
      expect.stringContaining("Context chains.sol.hosts must name your own hosts: public ones"),
    ]);
    const warnings = tradingWarnings({ trading: { sol: defaultSol }, signerVpc: true, walletExport: true });
    expect(warnings).toEqual([
      expect.stringContaining("Context publicHosts is true: sol trades with public hosts"),
      expect.stringContaining("Context chains.sol.hosts has one host"),
    ]);
  });

  it.each<[object, string]>([
    [
      { venues: [] },
      "venues must be an object of hosts, cluster, relay, jupiter, wrapped, cpmmConfigs, pumpTable, tokens, maxOrder, maxNetworkFee, maxNetworkFeesPerDay, baseFee and payer",
    ],
    [{ hosts: [] }, "hosts must have a host"],
    [{ hosts: ["http://rpc.example"] }, "hosts.0 must be an https URL"],
    [
      { hosts: [hosts[0], hosts[0]] },
      "hosts names a.example twice: hosts that check each other must be different ones",
    ],
    [{ cluster: "mainnet" }, "cluster must be the first 32 characters of a genesis hash"],
    [{ cluster: `${defaultSol.cluster}K` }, "cluster must be the first 32 characters of a genesis hash"],
    [{ jupiter: { url: "https://api.example", exchanges: [] } }, "jupiter.exchanges must have a label"],
    [
      { jupiter: { url: "https://api.example", exchanges: ["A,B"] } },
      "jupiter.exchanges.0 must be 1 to 100 printable characters without a comma",
    ],
    [{ relay: "https://relay.example" }, "relay must be an object of url, tipAccounts and leastTip"],
    [{ relay: { ...relay, url: "ftp://relay.example" } }, "relay.url must be an https URL"],
    [{ relay: { ...relay, tipAccounts: [] } }, "relay.tipAccounts must have an account"],
    [
      { relay: { ...relay, tipAccounts: ["tip"] } },
      "relay.tipAccounts.0 must be an address: base58 of 32 bytes",
    ],
    [{ relay: { ...relay, tipAccounts: [usdc, usdc] } }, "relay.tipAccounts has an account twice"],
    [
      { relay: { ...relay, url: "https://mainnet.block-engine.jito.wtf/api/v1/transactions" } },
      "relay.url must have ?bundleOnly=true, or Jito also passes transactions on unprotected",
    ],
    [{ relay: { ...relay, leastTip: "0" } }, "relay.leastTip must be above 0"],
    [{ wrapped: { ...moon, decimals: 9 } }, `wrapped.token must be ${mint}, which the chain fixes`],
    [{ wrapped: { ...moon, token: mint } }, "wrapped.decimals must be 9, as the coin's are"],
    [{ cpmmConfigs: [] }, "cpmmConfigs must have a number"],
    [{ cpmmConfigs: [65_536] }, "cpmmConfigs.0 must be a whole number from 0 to 65535"],
    [
      { cpmmConfigs: Array.from({ length: 17 }, (_, index) => index) },
      "cpmmConfigs must have at most 16 numbers",
    ],
    [{ cpmmConfigs: [1, 1] }, "cpmmConfigs has a number twice"],
    [
      { tokens: [{ ...moon, token: usdc.slice(4) }] },
      "tokens.0.token must be an address: base58 of 32 bytes",
    ],
    [
      { tokens: [{ ...moon, token: `0x${"1".repeat(40)}` }] },
      "tokens.0.token must be an address: base58 of 32 bytes",
    ],
    [
      { tokens: [moon, { ...moon, symbol: "SUN" }] },
      `tokens has ${moon.token} twice, the wrapped coin included`,
    ],
    [{ tokens: [{ ...moon, symbol: "sol" }] }, "tokens has the symbol SOL twice, the coins' included"],
    [{ maxOrder: "0.0000000001" }, "maxOrder must have at most 9 decimal places"],
    [{ maxNetworkFee: 0.05 }, "maxNetworkFee must be a decimal number as text"],
    [{ baseFee: "0" }, "baseFee must be above 0"],
    [{ payer: "payer" }, "payer must be an address: base58 of 32 bytes"],
  ])("refuses %j: %s", (sol, line) => {
    expect(linesFor({ hosts, ...sol })).toEqual([`Context chains.sol.${line}`]);
  });
});
