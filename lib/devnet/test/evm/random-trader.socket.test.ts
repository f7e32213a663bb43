import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { deployer, localAddresses } from "../../evm/deployment.ts";
import { openEvmMarket } from "../../evm/evm-market.ts";
import { type RandomTraderOptions, startRandomTrader, traderAccount } from "../../evm/random-trader.ts";
import { startTestChain, type TestChain } from "../../evm/test-chain.ts";
import { moveInSteps, pushForBlock } from "../../local-market.ts";
import { openMarkets } from "../../open-markets.ts";

let chain: TestChain;

beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain?.close());

const { moon, taxd, usdx, star } = localAddresses;
const waiting = { timeout: 30_000, interval: 10 };

const sent = async () => Number(await chain.request("eth_getTransactionCount", [traderAccount, "latest"]));

/** Starts a trader on the test chain and on a chain that does not answer. */
function started(watched: RandomTraderOptions["watched"], everyMs = 5) {
  const onFailure = vi.fn();
  const looks = vi.fn(watched);
  const trader = startRandomTrader({
    chains: [
      { chain: "eth", url: chain.url },
      { chain: "base", url: "http://127.0.0.1:1" },
    ],
    watched: looks,
    onFailure,
    everyMs,
    random,
  });
  onTestFinished(() => trader.stop());
  return { trader, onFailure, looks };
}

let state = 7;

/** Returns the same random numbers in every run (Lehmer's generator). */
const random = () => {
  state = (state * 48_271) % (2 ** 31 - 1);
  return state / (2 ** 31 - 1);
};

/** Mines until the trader has sent the given number of transactions. */
const trades = (count: number) =>
  vi.waitFor(async () => {
    await chain.mine();
    expect(await sent()).toBeGreaterThanOrEqual(count);
  }, waiting);

describe("the random trader", () => {
  it("sends no trades while nobody is watching", async () => {
    const { looks, onFailure } = started(async () => []);
    await vi.waitFor(() => expect(looks.mock.calls.length).toBeGreaterThan(5), waiting);
    expect(await chain.request("eth_getTransactionCount", [traderAccount, "pending"])).toBe("0x0");
    expect(await chain.request("txpool_status")).toMatchObject({ pending: "0x0" });
    expect(onFailure).not.toHaveBeenCalled();
  });

  it("trades the watched tokens, whatever the letter case of their addresses, and no tokens of other chains", async () => {
    const from = Number(await chain.request("eth_blockNumber"));
    const tokens = [moon.toLowerCase(), taxd].map((token) => ({ chain: "eth", token }));
    const { trader, onFailure } = started(async () => tokens);
    await trades(60);
    await trader.stop();
    await chain.mine();
    const to = Number(await chain.request("eth_blockNumber"));
    const selectors = new Map<string, number>();
    for (let block = from + 1; block <= to; block++) {
      const number = `0x${block.toString(16)}`;
      const receipts = (await chain.request("eth_getBlockReceipts", [number])) as { status: string }[];
      expect(receipts.map(({ status }) => status)).toEqual(receipts.map(() => "0x1"));
      const { transactions } = (await chain.request("eth_getBlockByNumber", [number, true])) as {
        transactions: { input: string }[];
      };
      for (const { input } of transactions)
        selectors.set(input.slice(0, 10), (selectors.get(input.slice(0, 10)) ?? 0) + 1);
    }
    // Expects approvals, purchases and sales.
    expect(selectors.size).toBe(3);
    expect(Math.min(...selectors.values())).toBeGreaterThanOrEqual(2);
    expect(onFailure).not.toHaveBeenCalled();
  });

  it("trades MOON if another token of the chain is watched, so that the chain gets new blocks", async () => {
    const before = await sent();
    started(async () => [{ chain: "eth", token: usdx }]);
    await trades(before + 3);
  });

  it.each([moon, taxd, star])(
    "moves a price by less than a thousandth with each trade of %s",
    async (token) => {
      const price = async () =>
        (await openEvmMarket({ chain: "eth", url: chain.url, token })).pools[0]?.price ?? 0;
      const [priceBefore, before] = [await price(), await sent()];
      const { trader } = started(async () => [{ chain: "eth", token }]);
      await trades(before + 10);
      await trader.stop();
      await chain.mine();
      const change = Math.abs((await price()) / priceBefore - 1);
      expect(change).toBeGreaterThan(0.0002);
      expect(change).toBeLessThan(0.001 * ((await sent()) - before));
    },
  );

  it("reports an outage once, and continues after it", async () => {
    const before = await sent();
    let isAway = true;
    const { looks, onFailure } = started(async () => {
      if (isAway) throw new Error("away");
      return [{ chain: "eth", token: moon }];
    });
    await vi.waitFor(() => expect(looks.mock.calls.length).toBeGreaterThan(3), waiting);
    expect(onFailure).toHaveBeenCalledOnce();
    isAway = false;
    await trades(before + 2);
    expect(onFailure).toHaveBeenCalledOnce();
  });
});

describe("openEvmMarket", () => {
  const { wrapped, v2Factory, v3Factory } = localAddresses;
  const addressIn = (answer: string) => `0x${answer.slice(-40)}`;
  const word = (value: string | number) => BigInt(value).toString(16).padStart(64, "0");

  /** Reads the prices of MOON as multiples of one another: in its pool of v2, and in those of v3. */
  async function prices(): Promise<number[]> {
    const pair = addressIn(await chain.call(v2Factory, `0xe6a43905${word(moon)}${word(wrapped)}`));
    const reserves = await chain.call(pair, "0x0902f1ac");
    const [first, second] = [reserves.slice(2, 66), reserves.slice(66, 130)].map((hex) => Number(`0x${hex}`));
    const pools = await Promise.all(
      [
        [wrapped, 100],
        [wrapped, 3000],
        [usdx, 3000],
      ].map(async ([other = "", fee = 0]) => {
        const asked = `0x1698ee82${word(moon)}${word(other)}${word(fee)}`;
        const pool = addressIn(await chain.call(v3Factory, asked));
        const ratio = (Number((await chain.call(pool, "0x3850c7bd")).slice(0, 66)) / 2 ** 96) ** 2;
        return BigInt(moon) < BigInt(other) ? ratio : 1 / ratio;
      }),
    );
    const ratio = (second ?? 0) / (first ?? 1);
    return [BigInt(moon) < BigInt(wrapped) ? ratio : 1 / ratio, ...pools];
  }

  const changesSince = async (before: readonly number[]) =>
    (await prices()).map((price, index) => price / (before[index] ?? 0));

  async function movesOf(moves: ReturnType<typeof pushForBlock>) {
    const seen = [];
    for await (const { block } of moves) seen.push(block);
    return seen;
  }

  // Mines what traders of earlier tests have sent.
  beforeEach(() => chain.mine());

  const moonMarket = () => openEvmMarket({ chain: "eth", url: chain.url, token: moon, patienceMs: 0 });

  it("moves every pool that trades the token, and gives its price in the other token", async () => {
    const market = await moonMarket();
    expect(market.pools.map(({ pool, unit }) => `${pool} ${unit}`)).toEqual([
      ...["uniswap-v2 0.3 % WETH", "uniswap-v3 0.01 % WETH"],
      ...["uniswap-v3 0.3 % WETH", "uniswap-v3 0.3 % USDX"],
    ]);
    expect(market.pools.at(-1)?.price).toBeCloseTo(0.26, 3);
    const before = await prices();
    for (const factor of [0.9, 1.35]) {
      await movesOf(moveInSteps(market, factor));
      for (const change of await changesSince(before)) expect(change).toBeCloseTo(factor, 9);
    }
    await movesOf(moveInSteps(market, 1));
  });

  it("pushes for one block, although others trade meanwhile", async () => {
    const market = await moonMarket();
    const { trader } = started(async () => [{ chain: "eth", token: moon }], 20);
    const before = await prices();
    const [pushed = 0, restored] = await movesOf(pushForBlock(market, 0.8));
    await trader.stop();
    expect(restored).toBe(pushed + 1);
    for (const change of (await changesSince(before)).slice(1)) expect(change).toBeCloseTo(1, 9);
    const { transactions } = (await chain.request("eth_getBlockByNumber", [
      `0x${pushed.toString(16)}`,
      true,
    ])) as { transactions: { from: string }[] };
    expect(transactions.filter(({ from }) => BigInt(from) === BigInt(deployer))).toHaveLength(9);
  });

  it("moves nothing if a pool has no liquidity at the target", async () => {
    const market = await moonMarket();
    const before = [await prices(), await chain.request("eth_blockNumber")];
    await expect(movesOf(moveInSteps(market, 2.5))).rejects.toThrow(
      "no liquidity so far from their prices: uniswap-v3 0.01 %, uniswap-v3 0.3 %, uniswap-v3 0.3 %",
    );
    expect([await prices(), await chain.request("eth_blockNumber")]).toEqual(before);
  });

  it("finds no market of a token without pools", async () => {
    const token = localAddresses.comet;
    await expect(openEvmMarket({ chain: "eth", url: chain.url, token })).rejects.toThrow("No pool trades");
  });
});

describe("openMarkets", () => {
  it("finds tokens by symbol and by address", async () => {
    const markets = await openMarkets("eth");
    expect([markets.find("moon"), markets.find(moon.toLowerCase())]).toEqual([moon, moon]);
    expect(markets.find("NONE")).toBeUndefined();
  });

  it("refuses another chain, and a host that is not on this machine, even if it is an anvil", async () => {
    const near = chain.url;
    await expect((await openMarkets("eth")).open(near, moon)).resolves.toBeDefined();
    await expect((await openMarkets("base")).open(near, moon)).rejects.toThrow("No local chain base answers");
    const elsewhere = near.replace("127.0.0.1", "localhost");
    await expect((await openMarkets("eth")).open(elsewhere, moon)).rejects.toThrow(
      "No local chain eth answers",
    );
  });
});
