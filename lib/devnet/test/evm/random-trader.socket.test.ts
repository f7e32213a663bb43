import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { localAddresses } from "../../evm/deployment.ts";
import { type RandomTraderOptions, startRandomTrader, traderAccount } from "../../evm/random-trader.ts";
import { startTestChain, type TestChain } from "../../evm/test-chain.ts";

let chain: TestChain;

beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain?.close());

const { moon, taxd, usdx } = localAddresses;
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
