import { ChainRefusal } from "trading-terminal-devnet/chain-refusal";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { alice, startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { startTestSurfnet, type TestSurfnet } from "trading-terminal-devnet/sol/test-surfnet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readMarketOnce } from "../../../lib/markets/families/read-market.ts";
import { readerOf } from "../../support/chain-reader.ts";
import {
  scaling,
  seeing,
  solReaderOf,
  startTestSolHost,
  type TestSolHost,
} from "../../support/sol-reader.ts";

let chain: TestChain;
let sol: TestSurfnet;
let host: TestSolHost;
beforeAll(async () => {
  [chain, sol] = await Promise.all([startTestChain(), startTestSurfnet()]);
  host = await startTestSolHost(sol);
});
afterAll(() => Promise.all([chain.close(), sol.stop(), host.close()]));

const now = new Date("2026-11-26T12:00:00.500Z");
const unread = {
  asOf: now.toISOString(),
  firstSeenAt: now.toISOString(),
  revision: 0,
  hasGaps: false,
  day: { volume: { mantissa: 0n, exponent: 0 }, trades: 0 },
};
const notFound = expect.objectContaining({ code: "TOKEN_NOT_FOUND" });

describe("readMarketOnce", () => {
  it("reads a token with its deepest pool and price", async () => {
    const { moon } = localAddresses;
    const block = (await chain.request("eth_getBlockByNumber", ["latest", false])) as Record<string, string>;
    expect(await readMarketOnce(readerOf(chain), moon, now)).toEqual({
      ...unread,
      chain: "eth",
      token: moon,
      symbol: "MOON",
      name: "Moon",
      decimals: 18,
      supply: { mantissa: 1n, exponent: 9 },
      pool: {
        pool: expect.any(String),
        quote: "native",
        venue: "uniswap-v2",
        feeBps: 30,
        depth: { mantissa: 2n, exponent: 0 },
      },
      pools: 3,
      price: { mantissa: 1n, exponent: -4 },
      history: "loading",
      block: Number(block.number),
      blockTime: Number(block.timestamp),
    });
  });

  it("returns no pool and no price for a token without pools", async () => {
    const market = await readMarketOnce(readerOf(chain), localAddresses.wrapped, now);
    expect(market).toMatchObject({ symbol: "WETH", pools: 0, history: "unavailable" });
    for (const absent of ["pool", "price"]) expect(market).not.toHaveProperty(absent);
  });

  it("reads a token of sol", async () => {
    const { mint, pool } = sol.deployment.tokens.MOON;
    expect(await readMarketOnce(await solReaderOf(sol, [host]), mint, now)).toMatchObject({
      ...unread,
      chain: "sol",
      token: mint,
      symbol: "MOON",
      history: "loading",
      pools: 1,
      pool: { pool, venue: "raydium-cpmm" },
    });
  });

  it("reads no price of sol on which two hosts do not agree", async () => {
    const { mint, vaults } = sol.deployment.tokens.MOON;
    const other = await startTestSolHost(sol);
    other.lie = scaling(vaults.coin, 10_000n);
    const reader = await solReaderOf(sol, [host, other]);
    await expect(readMarketOnce(reader, mint, now)).rejects.toThrow("No two hosts of sol agree");
    other.lie = scaling(vaults.coin, 1000n);
    expect(await readMarketOnce(reader, mint, now)).toMatchObject({ price: { mantissa: 1n, exponent: -4 } });
    await other.close();
  });

  it("does not mistake a host of sol for another one when it fails in between", async () => {
    const { mint, vaults } = sol.deployment.tokens.MOON;
    const other = await startTestSolHost(sol);
    let rounds = 0;
    other.lie = (method, result, params) => {
      if (method !== "getMultipleAccounts") return result;
      rounds++;
      if (rounds === 2) throw new ChainRefusal(method, { code: -32_005, message: "behind" });
      const scaled = scaling(vaults.coin, 900n)(method, result, params) as { context: { slot: number } };
      scaled.context.slot += 1_000_000 + rounds;
      return scaled;
    };
    const reader = await solReaderOf(sol, [other, host], { cpmmConfigs: [0] });
    await expect(readMarketOnce(reader, mint, now)).rejects.toThrow("No two hosts of sol agree");
    expect(rounds).toBeGreaterThan(3);
    await other.close();
  });

  it("rejects an address that is not a token", async () => {
    await expect(readMarketOnce(readerOf(chain), alice.address, now)).rejects.toThrow(notFound);
    const { address } = await sol.newWallet();
    await expect(readMarketOnce(await solReaderOf(sol, [host]), address, now)).rejects.toThrow(notFound);
  });

  it("fails while no host answers, or if the only host that answers returns an older slot", async () => {
    const silent = readerOf(chain, { hosts: ["http://127.0.0.1:1"] });
    await expect(readMarketOnce(silent, localAddresses.moon, now)).rejects.toThrow("No host of eth answers");
    const reader = await solReaderOf(sol, [host]);
    const { mint } = sol.deployment.tokens.MOON;
    await readMarketOnce(reader, mint, now);
    host.lie = seeing((answer) => {
      answer.context.slot = 1;
    });
    await expect(readMarketOnce(reader, mint, now)).rejects.toThrow("No two hosts of sol agree");
  });
});
