import { type SecondHost, startSecondHost } from "trading-terminal-devnet/evm/second-host";
import { startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readHistory } from "../../../lib/markets/evm/read-history.ts";
import type { PoolEvent } from "../../../lib/markets/evm/rules/watched-pool.ts";
import { readerOf } from "../../support/chain-reader.ts";
import { type RandomSwaps, startRandomSwaps } from "../../support/random-swaps.ts";

let chain: TestChain;
let odd: SecondHost;
let swaps: RandomSwaps;
let last: number;
beforeAll(async () => {
  // Mines blocks about every seven seconds, much slower than the real chain.
  chain = await startTestChain({ chain: "base" });
  odd = await startSecondHost({ chainUrl: chain.url });
  await chain.request("anvil_mine", ["0xc8", "0x3c"]);
  swaps = await startRandomSwaps(chain, 3);
  for (let block = 0; block < 60; block++) await swaps.block(6);
  last = await swaps.height();
});
afterAll(() => Promise.all([chain.close(), odd.close()]));
const logs: number[] = [];
beforeEach(() => {
  odd.faults = {};
  logs.length = 0;
  odd.lie = ({ method, params: [filter] }, reply) => {
    const { fromBlock, toBlock } = (filter ?? {}) as Record<string, string>;
    if (method === "eth_getLogs") logs.push(Number(toBlock) - Number(fromBlock) + 1);
    return reply;
  };
});

const onlyOdd = () => readerOf(chain, { hosts: [odd.url] });
const timeOf = async (number: number) => {
  const tag = `0x${number.toString(16)}`;
  const { timestamp } = (await chain.request("eth_getBlockByNumber", [tag, false])) as { timestamp: string };
  return Number(timestamp);
};
const all = async () => {
  const { events } = await readHistory(readerOf(chain), swaps.pools.moonV2, { to: last, since: 0 });
  return events;
};
const blocksIn = (events: readonly PoolEvent[]) => [...new Set(events.map(({ block }) => block))];

describe("readHistory", () => {
  it("reads all events from a given time up to a given block", async () => {
    const truth = await swaps.truth(last - 59, last);
    const { pool } = swaps.pools.moonV2;
    const changed = truth.filter(({ words }, index) => words.get(pool) !== truth[index - 1]?.words.get(pool));
    const events = await all();
    // The first event serves only to show the state before the range.
    expect(blocksIn(events)).toEqual(expect.arrayContaining(changed.slice(1).map(({ number }) => number)));
    const since = await timeOf(last - 30);
    const asked = { to: last - 3, since };
    expect(await readHistory(onlyOdd(), swaps.pools.moonV2, asked)).toEqual({
      events: events.filter(({ time, block }) => time >= since && block <= last - 3),
      isComplete: true,
    });
    // Corrects a guess that assumes the usual time between blocks.
    expect(logs.reduce((sum, blocks) => sum + blocks, 0)).toBeLessThan(120);
  });

  it("finds the first block even if blocks come faster than usual", async () => {
    const slow = readerOf({ ...chain, chain: "eth", contracts: chain.contracts });
    const since = await timeOf(last - 40);
    const { client } = readerOf(chain);
    const { events, isComplete } = await readHistory({ ...slow, client }, swaps.pools.moonV2, {
      to: last,
      since,
    });
    expect(isComplete).toBe(true);
    expect(events).toEqual((await all()).filter(({ time }) => time >= since));
  });

  it("reads in ranges that the host allows", async () => {
    odd.faults = { logBlocks: 9 };
    expect((await readHistory(onlyOdd(), swaps.pools.moonV2, { to: last, since: 0 })).events).toEqual(
      await all(),
    );
    expect(Math.max(...logs.slice(1))).toBe(9);
    odd.faults = { mostLogs: 5, logs: "noTimes" };
    expect((await readHistory(onlyOdd(), swaps.pools.moonV2, { to: last, since: 0 })).events).toEqual(
      await all(),
    );
  });

  it("stops after sixty requests, and keeps the newest events", async () => {
    odd.faults = { logBlocks: 1 };
    const { events, isComplete } = await readHistory(onlyOdd(), swaps.pools.moonV2, { to: last, since: 0 });
    expect(isComplete).toBe(false);
    const oldest = last - logs.length + 2;
    expect(logs.length).toBeLessThanOrEqual(60);
    expect(events).toEqual((await all()).filter(({ block }) => block >= oldest));
  });

  it("stops at its time limit, and never reads before the chain's first block", async () => {
    const asked = { to: last, since: 0 };
    expect(await readHistory(onlyOdd(), swaps.pools.moonV2, { ...asked, untilMs: Date.now() })).toEqual({
      events: [],
      isComplete: false,
    });
    const later = (await timeOf(last)) + 1;
    expect(await readHistory(onlyOdd(), swaps.pools.moonV2, { to: last, since: later })).toEqual({
      events: [],
      isComplete: true,
    });
  });

  it("continues with the next host, and keeps what it has read if no host is left", async () => {
    odd.faults = { logBlocks: 10 };
    odd.lie = ({ method }, reply) => {
      if (method !== "eth_getLogs") return reply;
      logs.push(0);
      return logs.length > 3 ? { error: { code: -32005, message: "too many requests" } } : reply;
    };
    const asked = { to: last, since: 0 };
    const both = readerOf(chain, { hosts: [odd.url, chain.url] });
    expect(await readHistory(both, swaps.pools.moonV2, asked)).toEqual({
      events: await all(),
      isComplete: true,
    });
    logs.length = 0;
    const { events, isComplete } = await readHistory(onlyOdd(), swaps.pools.moonV2, asked);
    expect(isComplete).toBe(false);
    expect(events).toEqual((await all()).filter(({ block }) => block > last - 20));
    odd.faults = { unavailable: 1 };
    await expect(readHistory(onlyOdd(), swaps.pools.moonV2, asked)).rejects.toThrow(
      "No host of base answers",
    );
  });

  it("returns no events if all hosts refuse them, and fails if one of them is merely silent", async () => {
    const asked = { to: last, since: 0 };
    const silent = "http://127.0.0.1:1";
    for (const refusesLogs of ["limitExceeded", "unknown"] as const) {
      odd.faults = { refusesLogs };
      const reader = onlyOdd();
      // The reader remembers the first refusal, and sends no further requests.
      for (let times = 0; times < 2; times++)
        expect(await readHistory(reader, swaps.pools.moonV2, asked)).toEqual({
          events: [],
          isComplete: false,
        });
      const both = readerOf(chain, { hosts: [odd.url, silent] });
      await expect(readHistory(both, swaps.pools.moonV2, asked)).rejects.toThrow("No host of base answers");
    }
    odd.faults = { refusesLogs: "busy" };
    await expect(readHistory(onlyOdd(), swaps.pools.moonV2, asked)).rejects.toThrow(
      "No host of base answers",
    );
  });
});
