import { getAddress } from "ethers/address";
import { creationOfToken, localAddresses } from "trading-terminal-devnet/evm/deployment";
import { alice, startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TradingConfiguration } from "../../../lib/chains/families/configuration.ts";
import { openChains } from "../../../lib/chains/families/open-chains.ts";
import { identifyToken } from "../../../lib/chains/families/token.ts";
import type { InspectedToken } from "../../../lib/orders/token-family.ts";
import { shortAddress } from "../../../lib/orders/token-text.ts";
import { inspectToken } from "../../../lib/trading/inspect-token.ts";
import { listTokens } from "../../../lib/trading/list-tokens.ts";
import { chainsOf, readerOf, startPlainHost } from "../../support/chain-reader.ts";
import { addDryPool, deployOddToken, type OddToken } from "../../support/odd-tokens.ts";

let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.close());

const now = new Date("2026-11-21T20:00:00.000Z");
const { moon, usdx, taxd, trap, wrapped, v2Router } = localAddresses;

async function inspect(token: string): Promise<InspectedToken> {
  return (await inspectToken(chainsOf(chain), { chain: "eth", token, now })).token;
}

describe("listTokens", () => {
  it("returns the coin first, then the listed tokens by symbol, including the wrapped coin", () => {
    const { tokens } = listTokens(chainsOf(chain), "eth");
    expect(tokens.map(({ symbol }) => symbol)).toEqual(["ETH", "MOON", "USDX", "WETH"]);
    expect(tokens[0]).toEqual({ chain: "eth", token: "native", symbol: "ETH", name: "Ether", decimals: 18 });
    expect(tokens.filter((token) => token.wrapped)).toEqual([tokens[3]]);
    expect(listTokens(chainsOf(chain)).tokens).toEqual(tokens);
  });

  it("if the service does not trade on the requested chain, names the chains on which it does", () => {
    const refused = { code: "UNSUPPORTED_CHAIN", details: { chains: ["eth"] } };
    expect(() => listTokens(chainsOf(chain), "sol")).toThrow(expect.objectContaining(refused));
  });
});

describe("identifyToken", () => {
  const identify = (token: string) => identifyToken(readerOf(chain), token);

  it("describes both listed and unlisted tokens", async () => {
    expect(await identify(moon)).toMatchObject({ symbol: "MOON", decimals: 18, isListed: true });
    expect(await identify(taxd)).toMatchObject({ symbol: "TAXD", decimals: 18, isListed: false });
  });

  it.each([alice.address, v2Router])("rejects %s as a token to identify", async (address) => {
    await expect(identify(address)).rejects.toMatchObject({ code: "TOKEN_NOT_FOUND" });
  });
});

const pool: unknown = expect.any(String);

describe("inspectToken", () => {
  it("shows a listed token with its pools, first those that hold most", async () => {
    const token = await inspect(moon.toLowerCase());
    expect(token).toEqual({
      chain: "eth",
      token: moon,
      symbol: "MOON",
      name: "Moon",
      decimals: 18,
      listed: true,
      sellable: true,
      buyTax: 0,
      sellTax: 0,
      flags: [],
      // The first pool trades at other prices, and the last one is almost empty.
      pools: [
        { venue: "pancakeswap-v3", pool, feeBps: 100, liquidity: "500" },
        { venue: "uniswap-v2", pool, feeBps: 30, liquidity: "100" },
        {
          venue: "uniswap-v3",
          pool,
          feeBps: 30,
          quoteToken: usdx,
          liquidity: expect.stringMatching(/^19\./),
        },
        { venue: "uniswap-v3", pool, feeBps: 30, liquidity: "10" },
        { venue: "uniswap-v3", pool, feeBps: 1, liquidity: expect.stringMatching(/^0\.0009/) },
      ],
      block: Number(await chain.request("eth_blockNumber")),
      asOf: "2026-11-21T20:00:00.000Z",
    });
  });

  it("shows all pools, but simulates trades only in those that orders use", async () => {
    const venues = chain.contracts.venues.map((row) => ({ ...row, displayOnly: true }));
    const shown = { ...chain, contracts: { ...chain.contracts, venues } };
    const { token } = await inspectToken(chainsOf(shown), { chain: "eth", token: taxd, now });
    const { pools } = await inspect(taxd);
    expect(token).toMatchObject({ sellable: null, buyTax: null, sellTax: null, pools });
    expect(pools).not.toEqual([]);
  });

  it("measures the taxes of buying and selling", async () => {
    const shown = { sellable: true, buyTax: 5, sellTax: 5, flags: ["NOT_LISTED", "TAXED"] };
    expect(await inspect(taxd)).toMatchObject(shown);
  });

  it("detects that a token cannot be sold", async () => {
    const shown = { sellable: false, buyTax: 0, sellTax: null, flags: ["NOT_LISTED", "CANNOT_SELL"] };
    expect(await inspect(trap)).toMatchObject(shown);
  });

  it("shows the wrapped coin without pools and flags", async () => {
    expect(await inspect(wrapped)).toMatchObject({ wrapped: true, sellable: null, pools: [], flags: [] });
  });

  const unknown = { sellable: null, buyTax: null, sellTax: null };
  const sellable = { sellable: true, buyTax: 0, sellTax: 0 };
  it.each<[OddToken, Partial<InspectedToken>]>([
    ["refuses transfers", { ...unknown, flags: ["NOT_LISTED", "SELLABILITY_UNKNOWN"] }],
    ["eats the gas of transfers", { ...unknown, flags: ["NOT_LISTED", "SELLABILITY_UNKNOWN"] }],
    ["lies about balances", { ...sellable, flags: ["NOT_LISTED", "ODD_EVENTS"] }],
    [
      "reports transfers that it does not make",
      {
        sellable: false,
        buyTax: 100,
        sellTax: null,
        flags: ["NOT_LISTED", "TAXED", "ODD_EVENTS", "CANNOT_SELL"],
      },
    ],
    [
      "can be sold only where gas is free",
      { sellable: false, buyTax: 0, sellTax: null, flags: ["NOT_LISTED", "CANNOT_SELL"] },
    ],
    ["cannot be sold in the block of its purchase", { ...sellable, flags: ["NOT_LISTED"] }],
    [
      "cannot be sold half a minute after its purchase",
      { sellable: false, buyTax: 0, sellTax: null, flags: ["NOT_LISTED", "CANNOT_SELL"] },
    ],
    ["limits the size of sales", { ...sellable, flags: ["NOT_LISTED"] }],
    ["grows", { ...sellable, flags: ["NOT_LISTED"] }],
    ["wants an approval of 0 first", { ...sellable, flags: ["NOT_LISTED"] }],
    ["loses a unit of each transfer", { ...sellable, flags: ["NOT_LISTED", "TRANSFER_LOSS", "ODD_EVENTS"] }],
    ["logs no transfers", { ...sellable, flags: ["NOT_LISTED", "ODD_EVENTS"] }],
    ["logs each transfer twice", { ...sellable, flags: ["NOT_LISTED", "ODD_EVENTS"] }],
    ["returns nothing from transfers", { ...sellable, decimals: 6, flags: ["NOT_LISTED"] }],
    ["has no decimals", { ...sellable, decimals: 0, flags: ["NOT_LISTED"] }],
    ["has 36 decimals", { ...sellable, decimals: 36, flags: ["NOT_LISTED"] }],
    ["has the symbol of a listed token", { symbol: "USDX", flags: ["NOT_LISTED", "IMPERSONATES"] }],
    [
      "has texts of 32 bytes",
      { symbol: "OLD", name: "Old", flags: ["NOT_LISTED", "SELLABILITY_UNKNOWN", "LOW_LIQUIDITY"] },
    ],
  ])("shows the properties of a token that %s", async (name, shown) => {
    expect(await inspect(await deployOddToken(chain, name))).toMatchObject({ listed: false, ...shown });
  });

  it("compares a token's name with the coins and listed tokens of all chains", async () => {
    const [token = ""] = await chain.deploy(creationOfToken("Token", "Mine", "B-N-B", 18, 1n));
    const own = { ...chain.contracts, hosts: [chain.url] };
    const flagsWhere = async (trading: TradingConfiguration) => {
      const asked = { chain: "eth", token: getAddress(token ?? ""), now } as const;
      return (await inspectToken(openChains(trading), asked)).token.flags;
    };
    expect(await flagsWhere({ eth: own })).not.toContain("IMPERSONATES");
    expect(await flagsWhere({ eth: own, bsc: own })).toContain("IMPERSONATES");
    const listed = { ...own, tokens: [{ token: usdx, symbol: "MINE", name: "Gold", decimals: 18 }] };
    expect(await flagsWhere({ eth: own, base: listed })).toContain("IMPERSONATES");
  });

  it.each<[OddToken]>([
    ["has no symbol"],
    ["has a symbol of 10 kB"],
    ["has a symbol that turns the text around"],
  ])("shows the address instead of the symbol of a token that %s", async (name) => {
    const token = await deployOddToken(chain, name);
    expect(await inspect(token)).toMatchObject({
      symbol: shortAddress(getAddress(token)),
      name: "Odd",
      flags: ["NOT_LISTED", "ODD_METADATA"],
    });
  });

  it.each<[OddToken]>([
    ["has 37 decimals"],
    ["has 255 decimals"],
    ["has a supply beyond 40 digits"],
    ["reverts every call"],
    ["eats all gas"],
    ["answers nothing"],
  ])("finds no token at an address that %s", async (name) => {
    const token = await deployOddToken(chain, name);
    await expect(inspect(token)).rejects.toMatchObject({ code: "TOKEN_NOT_FOUND" });
  });

  it.each([["0x70997970C51812dc3A010C7d01b50e0d17dc79C8"], [v2Router]])(
    "rejects %s as a token",
    async (address) => {
      await expect(inspect(address)).rejects.toMatchObject({ code: "TOKEN_NOT_FOUND" });
    },
  );

  it("names the field with an invalid address", async () => {
    const wrong = moon.replace(/[a-f]/, (letter) => letter.toUpperCase());
    for (const token of [wrong, "native"]) {
      const refused = { code: "INVALID_REQUEST", details: { field: "token" } };
      await expect(inspect(token)).rejects.toMatchObject(refused);
    }
  });

  it("returns null for sellable if no host can simulate", async () => {
    const host = await startPlainHost(chain);
    const { token } = await inspectToken(chainsOf(chain, { hosts: [host.url] }), {
      chain: "eth",
      token: taxd,
      now,
    });
    await host.close();
    expect(token).toMatchObject({ ...unknown, flags: ["NOT_LISTED", "SELLABILITY_UNKNOWN"] });
  });

  it("shows a pool that would run dry", async () => {
    await addDryPool(chain);
    expect((await inspect(moon)).pools.map(({ feeBps }) => feeBps)).toEqual([100, 30, 30, 30, 100, 1]);
    await chain.restore();
  });
});
