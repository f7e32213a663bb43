import { setTimeout } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { ChainTimes } from "../../evm/chain-times.ts";
import { type MinedBlock, type Miner, startMiner } from "../../evm/miner.ts";
import { alice, startTestChain, type TestChain } from "../../evm/test-chain.ts";

const transaction = { from: alice.address, to: "0x00000000000000000000000000000000000000aa", value: "0x1" };
const times: ChainTimes = { blockMs: 20, finalitySeconds: 0.04 };

describe("startMiner", () => {
  let chain: TestChain;
  beforeAll(async () => {
    chain = await startTestChain();
  });
  afterEach(() => chain.restore());
  afterAll(() => chain.close());

  const height = async () => Number(await chain.request("eth_blockNumber"));
  const send = async () => (await chain.request("eth_sendTransaction", [transaction])) as string;

  /** Resolves when the miner has reported twice that it is idle, because it may be in the middle of a check now. */
  function started(options: Partial<Parameters<typeof startMiner>[0]> = {}) {
    const blocks: MinedBlock[] = [];
    let idle = 0;
    const miner: Miner = startMiner({
      request: chain.request,
      times,
      onBlock: (block) => blocks.push(block),
      onIdle: () => {
        idle++;
      },
      ...options,
    });
    onTestFinished(() => miner.stop());
    const rest = () => {
      const since = idle;
      return vi.waitFor(() => expect(idle).toBeGreaterThan(since + 1), { timeout: 30_000, interval: 5 });
    };
    return { miner, blocks, rest };
  }

  it("mines until the newest transaction is final two blocks later, and then stops", async () => {
    await chain.mine(2);
    const before = await height();
    const { blocks, rest } = started();
    await rest();
    expect(await height()).toBe(before);

    const hash = await send();
    await rest();
    expect(await height()).toBe(before + 3);
    const receipt = await chain.request("eth_getTransactionReceipt", [hash]);
    expect(receipt).toMatchObject({ blockNumber: `0x${(before + 1).toString(16)}` });
    const final = await chain.request("eth_getBlockByNumber", ["finalized", false]);
    expect(final).toMatchObject({ number: `0x${(before + 1).toString(16)}` });
    await rest();
    expect(await height()).toBe(before + 3);

    expect(blocks.map(({ number }) => number)).toEqual([1, 2, 3].map((count) => before + count));
    const newest = (await chain.request("eth_getBlockByNumber", ["latest", false])) as MinedBlock;
    expect(blocks.at(-1)?.hash).toBe(newest.hash);
  });

  it("makes no blocks while the chain is halted, and continues afterwards", async () => {
    let isHalted = true;
    const { miner, blocks, rest } = started({ isHalted: () => isHalted });
    await send();
    miner.wake();
    await setTimeout(5 * times.blockMs);
    expect(blocks).toEqual([]);
    isHalted = false;
    await rest();
    expect(blocks).toHaveLength(3);
  });

  it("reports an outage of the chain once, and continues after it", async () => {
    let isThere = false;
    let asked = 0;
    const failures: unknown[] = [];
    const { rest } = started({
      request: (method, params) => {
        asked++;
        return isThere ? chain.request(method, params) : Promise.reject(new Error("gone"));
      },
      onFailure: (error) => failures.push(error),
    });
    await expect.poll(() => asked).toBeGreaterThan(6);
    expect(failures).toEqual([new Error("gone")]);
    isThere = true;
    await rest();
    expect(failures).toHaveLength(1);
  });
});
