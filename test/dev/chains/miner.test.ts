import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { type MinedBlock, type Miner, startMiner } from "../../../lib/dev/chains/miner.ts";
import { alice, startTestChain, type TestChain } from "../../support/local-chain.ts";

const transaction = { from: alice.address, to: "0x00000000000000000000000000000000000000aa", value: "0x1" };
const intervalMs = 20;

describe("startMiner", () => {
  let chain: TestChain;
  beforeAll(async () => {
    chain = await startTestChain();
  });
  afterEach(() => chain.restore());
  afterAll(() => chain.close());

  const height = async () => Number(await chain.request("eth_blockNumber"));
  const send = async () => (await chain.request("eth_sendTransaction", [transaction])) as string;

  /** Resolves when the miner has found nothing to do, twice from now: it may be in the middle of looking. */
  function started(options: Partial<Parameters<typeof startMiner>[0]> = {}) {
    const blocks: MinedBlock[] = [];
    let idle = 0;
    const miner: Miner = startMiner({
      request: chain.request,
      intervalMs,
      onBlock: (block) => blocks.push(block),
      onIdle: () => {
        idle++;
      },
      ...options,
    });
    onTestFinished(() => miner.stop());
    const rest = () => {
      const since = idle;
      return vi.waitFor(() => expect(idle).toBeGreaterThan(since + 1), { timeout: 10_000, interval: 5 });
    };
    return { miner, blocks, rest };
  }

  it("mines what waits, then until it is final, then nothing more", async () => {
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

  it("finishes what was not final when it started", async () => {
    await send();
    await chain.mine();
    const before = await height();
    const { rest } = started();
    await rest();
    expect(await height()).toBe(before + 2);
  });

  it("lets two more blocks follow the newest transaction", async () => {
    await chain.mine(2);
    const before = await height();
    const { blocks, rest } = started({
      onBlock: async ({ number }) => {
        if (number === before + 2) await send();
      },
    });
    await send();
    await rest();
    expect(blocks).toEqual([]);
    expect(await height()).toBe(before + 5);
  });

  it("finishes what came while it made a block", async () => {
    await chain.mine(2);
    const before = await height();
    let more = 2;
    const { rest } = started({
      async request(method, params) {
        if (method === "evm_mine" && more-- > 0) await send();
        return chain.request(method, params);
      },
    });
    await send();
    await rest();
    expect(await height()).toBe(before + 4);
  });

  it("mines through the relay, also what only the relay has", async () => {
    await chain.mine(2);
    const before = await height();
    let isWaiting = true;
    const relay = {
      hasWaiting: () => isWaiting,
      async mine() {
        if (isWaiting) await send();
        isWaiting = false;
        await chain.request("evm_mine");
      },
    };
    const { rest } = started({ relay });
    await rest();
    expect(await height()).toBe(before + 3);
  });

  it("makes one block when it is woken", async () => {
    await chain.mine(2);
    const before = await height();
    const { miner, rest } = started();
    await rest();
    miner.wake();
    await rest();
    expect(await height()).toBe(before + 1);
  });

  it("makes a block a second, with the time of the clock", async () => {
    const { blocks, miner } = started({ intervalMs: 1000 });
    await send();
    await vi.waitFor(() => expect(blocks.length).toBe(3), { timeout: 10_000, interval: 5 });
    await miner.stop();
    const times = await Promise.all(
      blocks.map(async ({ number }) => {
        const block = await chain.request("eth_getBlockByNumber", [`0x${number.toString(16)}`, false]);
        return Number((block as { timestamp: string }).timestamp);
      }),
    );
    const [first = 0] = times;
    expect(times[2]).toBeGreaterThanOrEqual(first + 1);
    expect(times[2]).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000));
  });

  it("keeps the clock's time however many blocks are made", async () => {
    await chain.mine(50);
    const block = (await chain.request("eth_getBlockByNumber", ["latest", false])) as { timestamp: string };
    expect(Number(block.timestamp)).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000));
  });

  it("says once that the chain does not answer, and goes on when it does", async () => {
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
