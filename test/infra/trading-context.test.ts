import { App } from "aws-cdk-lib";
import { describe, expect, it } from "vitest";
import type { EvmRoute } from "../../lib/chains/evm/rules/intent.ts";
import { knownRoutesOf, routesOf } from "../../lib/chains/evm/venues/configured-routes.ts";
import type { TradingConfiguration } from "../../lib/chains/families/configuration.ts";
import { evmChains } from "../../lib/core/chain-facts.ts";
import { terminalApp } from "../../lib/infra/app.ts";
import { ConfigurationError, readConfiguration } from "../../lib/infra/config.ts";
import { defaultChains } from "../../lib/infra/default-chains.ts";
import { withoutCode } from "../../lib/infra/read-stacks.ts";
import { tradingWarnings } from "../../lib/infra/trading-context.ts";
import { synthesize } from "./synthesized.ts";

/** Reads a context that may use public hosts unless it says otherwise. */
const read = (context: Record<string, unknown>) =>
  readConfiguration(new App({ context: { publicHosts: true, ...context } }).node).trading;

const linesFor = (context: Record<string, unknown>) => {
  try {
    read(context);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message.split("\n");
    throw error;
  }
  return [];
};

const checksummed = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const wrong = "0x5fbDB2315678afecb367f032d93F642f64180aa3";
const other = `0x${"2".repeat(40)}`;
const moon = { token: checksummed, symbol: "MOON", name: "Moon", decimals: 18 };
const v2 = { venue: "uniswap-v2", factory: checksummed, router: other, feeBps: 30 };
const v3 = { venue: "uniswap-v3", factory: checksummed, router: other, quoter: other, tiers: [5] };
const quoteToken = { token: checksummed, isStable: true, bridges: [{ venue: "uniswap-v3", feeBps: 5 }] };

describe("the trading context", () => {
  it("leaves trading off by default, even if the context describes chains", () => {
    expect(read({})).toEqual({});
    expect(read({ chains: { eth: { hosts: ["https://rpc.example"] } } })).toEqual({});
  });

  it("uses the production contracts of the chains that it names", () => {
    expect(read({ trading: ["eth", "avax"] })).toEqual({ eth: defaultChains.eth, avax: defaultChains.avax });
  });

  it("accepts the defaults when given explicitly, whose addresses have valid checksums", () => {
    expect(read({ trading: [...evmChains], chains: defaultChains })).toEqual(defaultChains);
  });

  it("overrides the defaults of a chain, even from command-line text", () => {
    const eth = {
      hosts: ["http://127.0.0.1:8545"],
      tokens: [moon],
      venues: [v2, v3],
      quoteTokens: [quoteToken],
    };
    const expected = { eth: { ...defaultChains.eth, ...eth } };
    expect(read({ trading: ["eth"], chains: { eth } })).toEqual(expected);
    expect(read({ trading: '["eth"]', chains: JSON.stringify({ eth }) })).toEqual(expected);
  });

  it("omits the default bridges of venues that the context leaves out", () => {
    const venues = defaultChains.base.venues.filter(({ venue }) => venue === "pancakeswap-v3");
    const { quoteTokens = [] } = read({ trading: ["base"], chains: { base: { venues } } }).base ?? {};
    expect(quoteTokens.flatMap(({ bridges }) => bridges)).toEqual([{ venue: "pancakeswap-v3", feeBps: 1 }]);
  });

  it("lets operators switch off orders through a known venue, but still shows the venue's pools", () => {
    const venues = defaultChains.base.venues.map((row) => ({
      ...row,
      displayOnly: row.venue === "slipstream",
    }));
    const hosts = ["https://a.example", "https://b.example"];
    const configuration = read({ trading: ["base"], chains: { base: { hosts, venues } } }).base;
    const contracts = { ...defaultChains.base, ...configuration };
    const isSlipstream = ({ venue }: EvmRoute) => venue === "slipstream";
    expect(routesOf(contracts, other).filter(isSlipstream)).toEqual([]);
    expect(knownRoutesOf(contracts, other).filter(isSlipstream)).not.toEqual([]);
  });

  it("removes the relay if the context says null", () => {
    expect(read({ trading: ["eth"], chains: { eth: { relay: null } } }).eth).not.toHaveProperty("relay");
    const relay = "https://relay.example";
    expect(read({ trading: ["bsc"], chains: { bsc: { relay } } }).bsc).toMatchObject({ relay });
  });

  it("always limits the network fee of a transaction", () => {
    expect(read({ trading: ["eth", "avax"] })).toMatchObject({
      eth: { maxNetworkFee: "0.1" },
      avax: { maxNetworkFee: "0.5" },
    });
    const limits = { maxNetworkFee: "0.02", maxNetworkFeesPerDay: "5" };
    expect(read({ trading: ["eth"], chains: { eth: limits } }).eth).toMatchObject(limits);
  });

  it("limits the size of a buy only if the context sets a limit", () => {
    expect(read({ trading: ["eth"] }).eth).not.toHaveProperty("maxOrder");
    const chains = { eth: { maxOrder: "2.5" } };
    expect(read({ trading: ["eth"], chains }).eth).toMatchObject({ maxOrder: "2.5" });
  });

  it.each([checksummed.toLowerCase(), `0x${checksummed.slice(2).toUpperCase()}`, checksummed])(
    "reads the address %s",
    (token) => {
      const chains = { eth: { tokens: [{ ...moon, token }] } };
      expect(read({ trading: ["eth"], chains }).eth?.tokens).toEqual([moon]);
    },
  );

  it.each(["http://localhost:8545", "http://[::1]:8545/path", "https://rpc.example/key?a=b"])(
    "accepts the host %s",
    (url) => {
      expect(read({ trading: ["bsc"], chains: { bsc: { hosts: [url] } } }).bsc?.hosts).toEqual([url]);
    },
  );

  const eth = (values: object) => ({ chains: { eth: values } });
  const local = { hosts: ["http://127.0.0.1:8545"] };
  const known = "They are eth, base, bsc, avax, sol";

  it.each<[Record<string, unknown>, string]>([
    [{ trading: ["btc"] }, `trading.0 is not a chain that can trade: "btc". ${known}`],
    [{ trading: "eth" }, "trading is not JSON"],
    [{ trading: { eth: true } }, "trading must be a list of chains"],
    [{ trading: ["eth", "base", "eth"] }, "trading names eth twice"],
    [{ chains: [] }, "chains must be an object of chains"],
    [{ chains: { btc: {} } }, `chains.btc is not a chain that can trade: "btc". ${known}`],
    [
      eth({ host: [] }),
      "chains.eth.host must be an object of hosts, relay, wrapped, venues, quoteTokens, tokens, maxOrder, maxNetworkFee and maxNetworkFeesPerDay",
    ],
    [eth({ hosts: [] }), "chains.eth.hosts must have a host"],
    [eth({ hosts: "https://rpc.example" }), "chains.eth.hosts must be a list of URLs"],
    [eth({ hosts: ["http://rpc.example"] }), "chains.eth.hosts.0 must be an https URL"],
    [eth({ hosts: ["wss://rpc.example"] }), "chains.eth.hosts.0 must be an https URL"],
    [eth({ hosts: ["http://127.0.0.1.rpc.example"] }), "chains.eth.hosts.0 must be an https URL"],
    [eth({ hosts: ["rpc.example"] }), "chains.eth.hosts.0 must be an https URL"],
    [eth({ hosts: [5] }), "chains.eth.hosts.0 must be a URL"],
    [
      eth({ hosts: ["https://me:key@rpc.example"] }),
      "chains.eth.hosts.0 must be a URL without user name and password",
    ],
    [
      eth({ hosts: ["https://a.example/1", "https://a.example/2"] }),
      "chains.eth.hosts names a.example twice: hosts that check each other must be different ones",
    ],
    [
      eth({ hosts: ["https://rpc.example/{alchemy}"] }),
      "chains.eth names keys of hosts, which need the context hostKeys",
    ],
    [
      eth({ relay: "https://rpc.example/{alchemy}" }),
      "chains.eth names keys of hosts, which need the context hostKeys",
    ],
    [
      eth({ hosts: ["https://rpc.example/{Alchemy}"] }),
      "chains.eth.hosts.0 must name keys in its path or query, in lower case, such as {alchemy}",
    ],
    [
      eth({ hosts: ["https://{alchemy}.example"] }),
      "chains.eth.hosts.0 must name keys in its path or query, in lower case, such as {alchemy}",
    ],
    [
      { hostKeys: "/terminal/host-keys" },
      "hostKeys has no effect: no URL of a host names a key, such as {alchemy}",
    ],
    [{ hostKeys: "host keys" }, "hostKeys must be the name of an SSM parameter, such as /terminal/host-keys"],
    [
      eth({ hosts: [1, 2, 3, 4, 5, 6].map((number) => `https://${number}.example`) }),
      "chains.eth.hosts must have at most 5 hosts",
    ],
    [eth({ maxOrder: 5 }), "chains.eth.maxOrder must be a decimal number as text"],
    [eth({ maxNetworkFee: null }), "chains.eth.maxNetworkFee must be a decimal number as text"],
    [eth({ maxNetworkFee: "0" }), "chains.eth.maxNetworkFee must be above 0"],
    [eth({ maxOrder: "0" }), "chains.eth.maxOrder must be above 0"],
    [eth({ maxOrder: `0.${"0".repeat(18)}1` }), "chains.eth.maxOrder must have at most 18 decimal places"],
    [
      eth({ maxOrder: "1e3" }),
      "chains.eth.maxOrder must be a decimal number as text, with at most 40 digits on each side of the point",
    ],
    [eth({ relay: "http://relay.example" }), "chains.eth.relay must be an https URL"],
    [
      { chains: { base: { relay: "https://relay.example" } } },
      "chains.base.relay has no effect: base has no public pool to hide transactions from",
    ],
    [
      eth({ tokens: [{ ...moon, token: wrong }] }),
      "chains.eth.tokens.0.token has a wrong checksum. Compare it with its source, or write it in lower case",
    ],
    [
      eth({ tokens: [{ ...moon, token: "0x5FbD" }] }),
      "chains.eth.tokens.0.token must be an address: 0x and 40 hex digits",
    ],
    [
      eth({ tokens: [{ ...moon, token: checksummed.slice(2) }] }),
      "chains.eth.tokens.0.token must be an address: 0x and 40 hex digits",
    ],
    [
      eth({ tokens: [{ ...moon, token: `0x${"0".repeat(40)}` }] }),
      "chains.eth.tokens.0.token must not be the zero address",
    ],
    [
      eth({ tokens: [{ ...moon, decimals: 37 }] }),
      "chains.eth.tokens.0.decimals must be a whole number from 0 to 36",
    ],
    [
      eth({ tokens: [{ ...moon, decimals: "18" }] }),
      "chains.eth.tokens.0.decimals must be a whole number from 0 to 36",
    ],
    [
      eth({ tokens: [{ ...moon, symbol: "MO\u202eON" }] }),
      "chains.eth.tokens.0.symbol must be 1 to 32 printable characters",
    ],
    [
      eth({ tokens: [{ ...moon, name: "" }] }),
      "chains.eth.tokens.0.name must be 1 to 64 printable characters",
    ],
    [
      eth({ tokens: [moon, { ...moon, symbol: "SUN", token: checksummed.toLowerCase() }] }),
      `chains.eth.tokens has ${checksummed} twice, the wrapped coin included`,
    ],
    [
      eth({ tokens: [{ ...moon, token: defaultChains.eth.wrapped.token }] }),
      `chains.eth.tokens has ${defaultChains.eth.wrapped.token} twice, the wrapped coin included`,
    ],
    [
      eth({ tokens: [moon, { ...moon, symbol: "moon", token: other }] }),
      "chains.eth.tokens has the symbol MOON twice, the coins' included",
    ],
    [
      eth({ tokens: [{ ...moon, symbol: "eth" }] }),
      "chains.eth.tokens has the symbol ETH twice, the coins' included",
    ],
    [eth({ wrapped: { ...moon, decimals: 8 } }), "chains.eth.wrapped.decimals must be 18, as the coin's are"],
    [eth({ venues: [] }), "chains.eth.venues must have a venue"],
    [
      eth({ ...local, venues: [v2, { ...v2, router: checksummed }] }),
      "chains.eth.venues has uniswap-v2 twice",
    ],
    [
      eth({
        ...local,
        venues: [v2, v3],
        quoteTokens: [{ ...quoteToken, bridges: [{ venue: "uniswap-v3", feeBps: 30 }] }],
      }),
      "chains.eth.quoteTokens names uniswap-v3 at 30 bps, which venues lacks",
    ],
    [
      eth({ ...local, venues: [v3], quoteTokens: [quoteToken, quoteToken] }),
      `chains.eth.quoteTokens has ${checksummed} twice`,
    ],
    [
      eth({ quoteTokens: [{ ...quoteToken, bridges: [] }] }),
      "chains.eth.quoteTokens.0.bridges must have a pool",
    ],
    [
      { chains: { eth: { hosts: ["https://rpc.example"], venues: [v2] } } },
      "chains.eth.venues has uniswap-v2 with other contracts, fees or tiers than lib/infra/default-chains.ts",
    ],
    [
      eth({ venues: [{ ...v2, venue: "sushiswap" }] }),
      'chains.eth.venues.0.venue is not a venue of trading: "sushiswap". ' +
        "The venues are uniswap-v2, pancakeswap-v2, uniswap-v3, pancakeswap-v3, slipstream, slipstream-caps, slipstream-v3, lfj-v2.1, lfj-v2.2",
    ],
    [
      eth({ venues: [{ ...v2, displayOnly: "yes" }] }),
      "chains.eth.venues.0.displayOnly must be true or false",
    ],
    [
      eth({ venues: [{ ...v3, venue: "slipstream" }] }),
      "chains.eth.venues.0.tiers.0 must be an object of spacing and feeBps",
    ],
    [
      eth({ venues: [{ ...v3, venue: "slipstream", tiers: [{ spacing: 0, feeBps: 5 }] }] }),
      "chains.eth.venues.0.tiers.0.spacing must be a whole number from 1 to 8388607",
    ],
    [
      eth({ venues: [{ ...v3, venue: "lfj-v2.1", tiers: [{ spacing: 20, feeBps: 20 }] }] }),
      "chains.eth.venues.0.quoter must be an object of venue, factory, router and tiers",
    ],
    [
      eth({
        ...local,
        venues: [{ ...v3, venue: "slipstream", tiers: [{ spacing: 100, feeBps: 5 }] }],
        quoteTokens: [{ ...quoteToken, bridges: [{ venue: "slipstream", feeBps: 5, spacing: 1 }] }],
      }),
      "chains.eth.quoteTokens names slipstream at 5 bps with spacing 1, which venues lacks",
    ],
    [
      eth({ venues: [{ ...v3, quoter: undefined }] }),
      "chains.eth.venues.0.quoter must be an address: 0x and 40 hex digits",
    ],
    [
      eth({ venues: [{ ...v2, quoter: other }] }),
      "chains.eth.venues.0.quoter must be an object of venue, factory, router and feeBps",
    ],
    [
      eth({ venues: [{ ...v2, router: wrong }] }),
      "chains.eth.venues.0.router has a wrong checksum. Compare it with its source, or write it in lower case",
    ],
    [
      eth({ venues: [{ ...v2, feeBps: 0.3 }] }),
      "chains.eth.venues.0.feeBps must be a whole number from 0 to 9999",
    ],
  ])("rejects %j in one line", (context, line) => {
    expect(linesFor(context)).toEqual([`Context ${line}`]);
  });

  it("prints one line for each mistake", () => {
    expect(
      linesFor(eth({ hosts: ["http://a.example", "ftp://b.example"], relay: 5, tokens: [{}] })),
    ).toHaveLength(7);
    expect(linesFor({ trading: ["eth", "eth"], ...eth({ tokens: [moon, moon] }) })).toHaveLength(3);
  });

  it("never repeats a URL, which may contain a key", () => {
    const url = "http://rpc.example/v2/c0ffee";
    expect(linesFor(eth({ hosts: [url, url], relay: url })).join()).not.toContain("c0ffee");
  });
});

describe("the templates", () => {
  it("keeps the templates the same while trading is off", () => {
    const hosts = ["http://127.0.0.1:8545"];
    expect(synthesize({ trading: [], chains: { eth: { hosts, tokens: [] } } })).toEqual(synthesize());
  });
});

describe("a chain without hosts of the operator", () => {
  it("leaves a chain off without hosts of the operator", () => {
    const hosts = ["https://rpc.example"];
    const context = { publicHosts: false, trading: ["eth", "base"], chains: { base: { hosts } } };
    expect(linesFor(context)).toEqual([
      "Context chains.eth.hosts must name your own hosts: public ones limit or refuse requests. " +
        "To try trading out with public hosts, set publicHosts to true",
    ]);
    expect(linesFor({ ...context, trading: ["base"] })).toEqual([]);
  });

  it("warns about a chain that only public hosts serve", () => {
    const { hosts } = defaultChains.eth;
    const trading = { eth: { ...defaultChains.eth, hosts: [...hosts] }, base: defaultChains.base };
    expect(tradingWarnings({ trading, signerVpc: true, walletExport: true })).toEqual([
      "Context publicHosts is true: base trades with public hosts, which limit or refuse requests, so its orders may fail at any time",
    ]);
  });
});

it("warns that coins cannot leave wallets made here if they trade and cannot be exported", () => {
  const { eth } = defaultChains;
  const warnings = (trading: TradingConfiguration, walletExport: boolean) =>
    tradingWarnings({ trading, signerVpc: true, walletExport }).filter((line) =>
      line.includes("walletExport"),
    );
  expect(warnings({ eth }, false)).toEqual([
    "Context walletExport is false: users cannot take coins out of wallets that were made here, as nothing else gives them the keys",
  ]);
  expect([warnings({ eth }, true), warnings({}, false)]).toEqual([[], []]);
});

describe("a chain with one host", () => {
  const one: TradingConfiguration = { base: { ...defaultChains.base, hosts: ["https://rpc.example"] } };

  it("warns about a chain with one host, because no second one checks its responses", () => {
    const warning =
      "Context chains.base.hosts has one host: no second host checks its responses, so it alone decides the prices of trades";
    expect(tradingWarnings({ trading: one, signerVpc: true, walletExport: true })).toEqual([warning]);
    const alarmTopicArn = "arn:aws:sns:eu-west-1:111111111111:alarms";
    const app = terminalApp({
      context: { ...withoutCode, alarmTopicArn, walletExport: true, trading: ["base"], chains: one },
    });
    const { metadata } = app.node.findChild("TerminalApi").node;
    const isWarning = ({ type }: { type: string }) => type === "aws:cdk:warning";
    expect(metadata.filter(isWarning).map(({ data }) => data)).toEqual([expect.stringContaining(warning)]);
  });
});
