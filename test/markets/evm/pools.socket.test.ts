import { Interface } from "ethers/abi";
import { deployer, localAddresses } from "trading-terminal-devnet/evm/deployment";
import { type SecondHost, startSecondHost } from "trading-terminal-devnet/evm/second-host";
import { alice, startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { approval, type V3Fee, v3PairLiquidity } from "trading-terminal-devnet/evm/uniswap";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { formatDecimal } from "../../../lib/core/decimal.ts";
import type { TokenPools } from "../../../lib/markets/core/market.ts";
import { coinPoolPrice } from "../../../lib/markets/evm/coin-pool.ts";
import { type EvmPool, EvmPoolFinder } from "../../../lib/markets/evm/pools.ts";
import { readerOf } from "../../support/chain-reader.ts";
import { localPoolsOf } from "../../support/market-pools.ts";
import { deployOddToken } from "../../support/odd-tokens.ts";

let chain: TestChain;
let host: SecondHost;
beforeAll(async () => {
  chain = await startTestChain({ chain: "base" });
  host = await startSecondHost({ chainUrl: chain.url });
});
afterAll(() => Promise.all([chain.close(), host.close()]));
beforeEach(() => chain.restore());

const { moon, star, taxd, comet, usdx, wrapped, v2Router, v3Quoter, v3Positions, pancakePositions } =
  localAddresses;
const find = async (token: string) =>
  (await new EvmPoolFinder(readerOf(chain)).find(token)) as TokenPools<EvmPool>;
const shown = ({ pools }: TokenPools<EvmPool>) =>
  pools.map(({ venue, quote, price, depth }) => [
    `${venue} ${quote === usdx ? "USDX" : quote}`,
    Number(formatDecimal(price)),
    Number(formatDecimal(depth)),
  ]);
const near = (value: number) =>
  expect.toSatisfy((found: number) => found > 0.85 * value && found <= value, `a little below ${value}`);
const coins = (count: number) => BigInt(Math.round(count * 1000)) * 10n ** 15n;

const abi = new Interface([
  "function quoteExactInputSingle((address, address, uint256, uint24, uint160)) returns (uint256)",
  "function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256, address[], address, uint256) payable",
  "function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256, uint256, address[], address, uint256)",
]);

const buy = "swapExactETHForTokensSupportingFeeOnTransferTokens";
const sell = "swapExactTokensForETHSupportingFeeOnTransferTokens";

describe("PoolFinder", () => {
  it("finds a token and its pools, the deepest first, and leaves out deceptive pools", async () => {
    const found = await find(moon);
    expect(found.token).toEqual({
      chain: "base",
      token: moon,
      symbol: "MOON",
      name: "Moon",
      decimals: 18,
      supply: { mantissa: 1n, exponent: 9 },
    });
    expect(found.block.number).toBe(Number(await chain.request("eth_blockNumber")));
    // PancakeSwap's pool has the most coins, but all are out of range. The pool at 0.01 % is almost empty.
    expect(shown(found)).toEqual([
      ["uniswap-v2 native", 0.0001, 2],
      ["uniswap-v3 USDX", 0.26, near(1.1)],
      ["uniswap-v3 native", 0.0001, near(0.66)],
    ]);
    const { moonV2, moonV3, moonUsdxV3 } = await localPoolsOf(chain);
    expect(found.pools).toMatchObject([moonV2, moonUsdxV3, moonV3]);
    expect(found.pools.map(({ feeBps }) => feeBps)).toEqual([30, 30, 30]);
  });

  it("reports as depth what a sale with an impact of at most 2 % really pays", async () => {
    const { pools } = await find(moon);
    const { depth, price } = pools.find(
      ({ venue, quote }) => venue === "uniswap-v3" && quote === "native",
    ) as EvmPool;
    const spot = Number(formatDecimal(price));
    const quoteOf = async (tokens: number) => {
      const question = [moon, wrapped, coins(tokens), 3000, 0];
      const answer = await chain.call(v3Quoter, abi.encodeFunctionData("quoteExactInputSingle", [question]));
      return Number(BigInt(answer.slice(0, 66))) / 1e18;
    };
    const impactOf = async (tokens: number) => 1 - (await quoteOf(tokens)) / (tokens * spot * 0.997);
    const sold = Number(formatDecimal(depth)) / (spot * 0.997 * 0.98);
    expect(await impactOf(sold * 0.99)).toBeLessThan(0.02);
    expect(await impactOf(sold * 1.3)).toBeGreaterThan(0.02);
  });

  it("finds pools of a token that is only traded for a stable token, and the pools of each of Slipstream's sets with their own fee", async () => {
    const pools = shown(await find(star)).toSorted();
    expect(pools).toEqual([
      ["pancakeswap-v3 USDX", near(0.2627), near(1.1)],
      ["uniswap-v2 USDX", 0.26, near(0.37)],
      ["uniswap-v3 USDX", 0.26, near(1.1)],
    ]);
    const found = await find(comet);
    const fees = { slipstream: 29, "slipstream-caps": 31, "slipstream-v3": 33 };
    expect(found.pools).toHaveLength(6);
    for (const [venue, feeBps] of Object.entries(fees))
      for (const quote of ["native", usdx])
        expect(found.pools).toContainEqual(expect.objectContaining({ venue, feeBps, quote }));
  });

  it("prices a stable token in coin", async () => {
    const found = await find(usdx);
    expect(found.pools[0]).toMatchObject({ venue: "uniswap-v3", quote: "native", token: usdx });
    for (const [, price] of shown(found)) expect(price).toBeCloseTo(1 / 2600, 9);
  });

  it("finds no pool for the wrapped coin", async () => {
    expect(await find(wrapped)).toMatchObject({ token: { symbol: "WETH" }, pools: [] });
  });

  it("leaves out a pool with an absurd price that pays hardly any coin", async () => {
    const before = shown(await find(taxd));
    expect(before[0]).toEqual(["uniswap-v2 native", 0.0001, 1]);
    const amounts = [
      { token: wrapped, amount: coins(1) },
      { token: taxd, amount: coins(0.001) },
    ] as const;
    const pool = v3PairLiquidity(localAddresses, deployer, amounts, { fee: 10_000, reach: 2 });
    await chain.deploy(approval(taxd, v3Positions), pool);
    expect(shown(await find(taxd))).toEqual(before);
  });

  it.each<[string, { v3Positions: string; wrapped: string }, V3Fee]>([
    ["Uniswap v3", localAddresses, 500],
    ["Slipstream", { v3Positions: pancakePositions, wrapped }, 2900],
  ])("leaves out a pool on %s that only buys, far below the price", async (_, addresses, fee) => {
    const before = shown(await find(moon));
    // A hundredth of the price, at a tick of both spacings: all liquidity lies below it.
    const tokensPerCoin = 1.0001 ** (200 * 691);
    const amounts = [
      { token: wrapped, amount: coins(100) },
      { token: moon, amount: coins(100 * tokensPerCoin) },
    ] as const;
    await chain.deploy(v3PairLiquidity(addresses, deployer, amounts, { fee, reach: 1.01, away: 1.01 }));
    expect(shown(await find(moon))).toEqual(before);
    // Counts once it sells, too.
    await chain.deploy(v3PairLiquidity(addresses, deployer, amounts, { fee, reach: 1.03 }));
    const [deepest] = (await find(moon)).pools;
    expect(Number(formatDecimal((deepest as EvmPool).price))).toBeCloseTo(1 / tokensPerCoin, 9);
  });

  it.each([["reverts every call"], ["eats all gas"], ["answers nothing"], ["has 255 decimals"]] as const)(
    "finds no token where a contract %s",
    async (name) => {
      expect(await find(await deployOddToken(chain, name))).toBeUndefined();
    },
  );

  it.each([
    ["has no decimals"],
    ["has 36 decimals"],
    ["has a symbol of 10 kB"],
    ["eats the gas of transfers"],
    ["refuses transfers"],
  ] as const)("finds the pool of a token that %s", async (name) => {
    const { pools } = await find(await deployOddToken(chain, name));
    expect(pools).toMatchObject([{ venue: "uniswap-v2", depth: { mantissa: 2n, exponent: -1 } }]);
  });

  it("finds no token at an address without code, and queries the next host if one fails", async () => {
    host.faults = { unavailable: 1 };
    const reader = readerOf(chain, { hosts: [host.url, chain.url] });
    expect(await new EvmPoolFinder(reader).find(alice.address)).toBeUndefined();
    expect((await new EvmPoolFinder(reader).find(moon))?.pools).toHaveLength(3);
    const lonely = new EvmPoolFinder(readerOf(chain, { hosts: [host.url] }));
    await expect(lonely.find(moon)).rejects.toThrow("No host of base answers");
    host.faults = {};
  });
});

describe("searching again with PoolFinder", () => {
  const counts: number[] = [];
  let finder: EvmPoolFinder;
  beforeEach(() => {
    counts.length = 0;
    host.lie = ({ method }, reply) => {
      if (method === "eth_call") counts[counts.length - 1] = (counts.at(-1) ?? 0) + 1;
      return reply;
    };
    finder = new EvmPoolFinder(readerOf(chain, { hosts: [host.url] }));
  });
  const findAt = async (nowMs: number) => {
    counts.push(0);
    return shown((await finder.find(moon, nowMs)) as TokenPools<EvmPool>);
  };

  it("measures depths with few calls, and searches for pools again after ten minutes", async () => {
    const first = await findAt(0);
    const again = await findAt(60_000);
    for (const [index, [name, price, depth]] of first.entries())
      expect(again[index]).toEqual([name, price, expect.closeTo(depth as number, 1)]);
    const [, few = 0] = counts;
    // Reads the states of all pools once, and one series of test amounts for each of two pools.
    expect(few).toBe(3);
    await findAt(600_000);
    expect(counts[2]).toBe(counts[0]);
  });

  it("searches again at once if a pool has lost its coins", async () => {
    const names = async (nowMs: number) => (await findAt(nowMs)).map(([name]) => name);
    const whole = await names(0);
    expect(whole[0]).toBe("uniswap-v2 native");
    const terms = (path: string[]) => [0, path, deployer, 2n ** 40n];
    const sale = abi.encodeFunctionData(sell, [coins(30_000_000), ...terms([moon, wrapped])]);
    await chain.deploy({ to: v2Router, data: sale });
    expect(await names(1000)).toEqual(whole.slice(1));
    const purchase = abi.encodeFunctionData(buy, terms([wrapped, moon]));
    await chain.deploy({ to: v2Router, data: purchase, value: coins(97) });
    expect(await names(2000)).toEqual(whole);
  });

  it("measures the depths again when they have changed much", async () => {
    await findAt(0);
    const { moonV3 } = await localPoolsOf(chain);
    expect(moonV3).toBeDefined();
    const amounts = [
      { token: wrapped, amount: coins(100) },
      { token: moon, amount: coins(1_000_000) },
    ] as const;
    await chain.deploy(v3PairLiquidity(localAddresses, deployer, amounts, { fee: 3000, reach: 2 }));
    expect((await findAt(1000))[0]).toEqual(["uniswap-v3 native", near(0.0001), near(7.6)]);
    // Searches for the pools again.
    expect((await new EvmPoolFinder(readerOf(chain)).find(moon))?.pools[0]).toMatchObject({
      pool: moonV3.pool,
    });
  });
});

describe("coinPoolPrice", () => {
  it("reads the coin's price from the deepest pool with a stable token", async () => {
    const price = await coinPoolPrice(readerOf(chain))();
    expect(price && [price.source, Number(formatDecimal(price.usd))]).toEqual([
      "uniswap-v3",
      expect.closeTo(2600, 0),
    ]);
  });
});
