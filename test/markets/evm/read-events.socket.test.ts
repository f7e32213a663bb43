import { type HostFaults, type SecondHost, startSecondHost } from "trading-terminal-devnet/evm/second-host";
import { startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { EvmReader } from "../../../lib/chains/evm/venues/reader.ts";
import { readEvents } from "../../../lib/markets/evm/read-events.ts";
import type { WatchedPool } from "../../../lib/markets/evm/rules/watched-pool.ts";
import { readerOf } from "../../support/chain-reader.ts";
import {
  answering,
  RpcFailure,
  type RpcServer,
  result,
  startRpcServer,
} from "../../support/json-rpc-server.ts";
import { type LocalPool, localPoolsOf } from "../../support/market-pools.ts";
import { startRandomSwaps } from "../../support/random-swaps.ts";

let chain: TestChain;
let pools: Record<LocalPool, WatchedPool>;
let odd: SecondHost;
let server: RpcServer;
/** Range of blocks with several swaps each. */
let blocks: { from: number; to: number };
beforeAll(async () => {
  [chain, server] = await Promise.all([startTestChain({ chain: "eth" }), startRpcServer()]);
  odd = await startSecondHost({ chainUrl: chain.url });
  pools = await localPoolsOf(chain);
  const swaps = await startRandomSwaps(chain, 7);
  const from = (await swaps.height()) + 1;
  for (let block = 0; block < 6; block++) await swaps.block(4);
  blocks = { from, to: await swaps.height() };
});
afterAll(() => Promise.all([chain.close(), odd.close(), server.stop()]));
beforeEach(() => {
  odd.faults = {};
  server.misbehaviour = undefined;
  server.requests.length = 0;
});

const all = () => Object.values(pools);
const read = (reader: EvmReader, changes: Partial<Parameters<typeof readEvents>[1]> = {}) =>
  readEvents(reader, { pools: all(), ...blocks, ...changes });
const truth = async () => (await read(readerOf(chain))).events;
const onlyOdd = () => readerOf(chain, { hosts: [odd.url] });
const both = () => readerOf(chain, { hosts: [odd.url, chain.url] });

describe("readEvents", () => {
  it("reads the events of a range, including both ends", async () => {
    const events = await truth();
    expect(events.length).toBeGreaterThan(20);
    const numbers = events.map(({ block }) => block);
    expect([Math.min(...numbers), Math.max(...numbers)]).toEqual([blocks.from, blocks.to]);
    expect((await read(readerOf(chain), { to: blocks.from })).events).toEqual(
      events.filter(({ block }) => block === blocks.from),
    );
    expect((await read(readerOf(chain), { pools: [] })).events).toEqual([]);
  });

  it.each<HostFaults>([
    { logs: "repeats" },
    { logs: "reverses" },
    { logs: "zeroTimes" },
    { logs: "noTimes" },
    { logBlocks: 1 },
    { logBlocks: 4 },
    { logAddresses: 4 },
    { logAddresses: 1, logBlocks: 3 },
    { mostLogs: 10 },
    { mostLogs: 4 },
  ])("reads the same events from a host with the fault %o", async (faults) => {
    odd.faults = faults;
    const { events, unread } = await read(onlyOdd());
    expect(unread.size).toBe(0);
    expect(events).toEqual(await truth());
  });

  it("reports pools with too many events for the host, and reads all other pools", async () => {
    odd.faults = { mostLogs: 1 };
    const { events, unread } = await read(onlyOdd(), { from: blocks.to });
    const whole = (await truth()).filter(({ block }) => block === blocks.to);
    const busy = all().filter(({ pool }) => whole.filter((event) => event.pool === pool).length > 1);
    expect(busy.length).toBeGreaterThan(0);
    expect([...unread].toSorted()).toEqual(busy.map(({ pool }) => pool).toSorted());
    expect(events).toEqual(whole.filter(({ pool }) => !unread.has(pool)));
  });

  it("leaves all pools unread once the time limit is reached", async () => {
    expect(await read(readerOf(chain), { untilMs: Date.now() })).toMatchObject({
      events: [],
      unread: { size: all().length },
    });
  });

  it.each<HostFaults>([
    { refusesLogs: "unknown" },
    { refusesLogs: "limitExceeded" },
    { refusesLogs: "busy" },
    { unavailable: 1 },
  ])("queries the next host if one has the fault %o", async (faults) => {
    odd.faults = faults;
    const reader = both();
    const { events, host } = await read(reader);
    expect(events).toEqual(await truth());
    expect(reader.client.inOrder()).toContain(host);
    await expect(read(onlyOdd())).rejects.toThrow("No host of eth answers");
  });

  it.each(["unknown", "limitExceeded"] as const)(
    "remembers that a host provides no logs: %s",
    async (refusesLogs) => {
      odd.faults = { refusesLogs };
      const reader = both();
      await read(reader);
      let asked = 0;
      odd.lie = ({ method }, reply) => {
        if (method === "eth_getLogs") asked++;
        return reply;
      };
      await read(reader, { hosts: reader.client.inOrder().toReversed() });
      await read(reader);
      expect(asked).toBe(0);
    },
  );

  it("switches from a host that does not have the last block, if that block matters", async () => {
    odd.faults = { blocksBehind: 2 };
    const late = await read(both());
    expect(late.events.at(-1)?.block).toBeLessThanOrEqual(blocks.to - 2);
    expect((await read(both(), { needsLast: true })).events).toEqual(await truth());
    await expect(read(onlyOdd(), { needsLast: true })).rejects.toThrow("No host of eth answers");
  });

  it("switches from a host whose headers contradict its logs", async () => {
    odd.faults = { logs: "noTimes" };
    odd.lie = ({ method }, reply) =>
      method === "eth_getBlockByNumber" && "result" in reply
        ? { result: { ...(reply.result as object), hash: `0x${"0".repeat(64)}` } }
        : reply;
    expect((await read(both())).events).toEqual(await truth());
    await expect(read(onlyOdd())).rejects.toThrow("No host of eth answers");
    odd.lie = (_, reply) => reply;
  });
});

describe("a host made of several nodes", () => {
  it("switches from a host whose nodes have different blocks with the same number", async () => {
    odd.faults = { mostLogs: 4 };
    let asked = 0;
    odd.lie = ({ method }, reply) => {
      if (method !== "eth_getLogs" || !("result" in reply) || asked++ % 2 === 0) return reply;
      const blockHash = `0x${"1".repeat(64)}`;
      return { result: (reply.result as object[]).map((log) => ({ ...log, blockHash })) };
    };
    expect((await read(both())).events).toEqual(await truth());
    await expect(read(onlyOdd())).rejects.toThrow("No host of eth answers");
    odd.lie = (_, reply) => reply;
  });
});

/** Lists refusals in the words of real hosts, with the ranges of the requests that follow. */
describe("a host that limits ranges of blocks", () => {
  const asked = () =>
    server.requests.flat().flatMap(({ method, params: [filter] }) => {
      const { fromBlock, toBlock } = (filter ?? {}) as Record<string, string>;
      return method === "eth_getLogs" ? [Number(toBlock) - Number(fromBlock) + 1] : [];
    });
  const limit = (most: number, failure: unknown) => {
    server.answers.eth_getLogs = ({ fromBlock, toBlock }: Record<string, string>) =>
      Number(toBlock) - Number(fromBlock) < most ? [] : failure;
  };
  const range = { from: 1000, to: 8999 };

  it.each<[string, number, number, number[]]>([
    ["eth_getLogs is limited to a 5,000 range", -32614, 5000, [8000, 5000, 3000]],
    ["exceed maximum block range: 5000", -32005, 5000, [8000, 5000, 3000]],
    ["ranges over 5000 blocks are not supported on freetier", 35, 5000, [8000, 5000, 3000]],
    ["Maximum allowed number of requested blocks is 5000", -32005, 5000, [8000, 5000, 3000]],
    ["requested too many blocks from 1000 to 8999, maximum is set to 5000", -32000, 5000, [8000, 5000, 3000]],
    [
      "Under the Free tier plan, you can make eth_getLogs requests with up to a 5000 block range",
      -32600,
      5000,
      [8000, 5000, 3000],
    ],
    ["block range too large", -32000, 5000, [8000, 4000, 4000]],
    ["range too large, max is 5k blocks", -32602, 5000, [8000, 4000, 4000]],
    [
      "query returned more than 10000 results. Try with this block range [0x1, 0x2]",
      -32005,
      5000,
      [8000, 4000, 4000],
    ],
    [
      "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range",
      -32602,
      5000,
      [8000, 4000, 4000],
    ],
    ["query timeout exceeded", -32000, 5000, [8000, 4000, 4000]],
  ])("requests smaller ranges after the refusal '%s'", async (message, code, most, expected) => {
    limit(most, new RpcFailure(code, message));
    await read(readerOf(chain, { hosts: [server.url] }), range);
    expect(asked()).toEqual(expected);
  });

  it("remembers how many pools a request may name", async () => {
    const counts: number[] = [];
    odd.lie = ({ method, params: [filter] }, reply) => {
      if (method === "eth_getLogs") counts.push((filter as { address: string[] }).address.length);
      return reply;
    };
    odd.faults = { logAddresses: 2 };
    const reader = onlyOdd();
    await read(reader);
    expect(counts).toEqual([6, 3, 1, 1, 1, 1, 1, 1]);
    counts.length = 0;
    await read(reader);
    expect(counts).toEqual([1, 1, 1, 1, 1, 1]);
    odd.lie = (_, reply) => reply;
  });

  it("remembers a host's limit on ranges, but not its limit on results", async () => {
    const reader = readerOf(chain, { hosts: [server.url] });
    limit(5000, new RpcFailure(-32005, "query returned more than 10000 results"));
    await read(reader, range);
    limit(5000, new RpcFailure(-32000, "block range too large"));
    await read(reader, range);
    await read(reader, range);
    expect(asked()).toEqual([8000, 4000, 4000, 8000, 4000, 4000, 4000, 4000]);
  });

  it("requests smaller ranges after an answer that is too large, without blaming the host", async () => {
    limit(5000, Array(50_000).fill("0x".padEnd(64, "0")));
    const reader = readerOf(chain, { hosts: [server.url, chain.url] });
    const [first] = reader.client.inOrder();
    expect((await read(reader, range)).host).toBe(first);
    // Reads an answer that is too large only up to the limit, and requests it only once.
    expect(asked()).toEqual([8000, 4000, 4000]);
    expect(reader.client.inOrder()[0]).toBe(first);
  });

  it("requests smaller ranges after an HTTP error that gives the reason, or after any HTTP error if the range is wide", async () => {
    server.misbehaviour = (response, requests) => {
      const [filter] = requests.flatMap(({ method, params }) => (method === "eth_getLogs" ? params : []));
      const { fromBlock, toBlock } = (filter ?? {}) as Record<string, string>;
      const isWide = Number(toBlock) - Number(fromBlock) >= 10;
      const items = requests.map(({ id, method }) => result(id, method === "eth_chainId" ? "0x1" : []));
      const refusal = { error: { code: -32600, message: words } };
      const body = isWide ? refusal : items.length > 1 ? items : items[0];
      answering(JSON.stringify(body), isWide ? 400 : 200)(response, requests);
    };
    let words = "eth_getLogs requests with up to a 10 block range";
    const reader = readerOf(chain, { hosts: [server.url] });
    const readBlocks = (count: number) => read(reader, { from: 1, to: count });
    await readBlocks(20);
    await readBlocks(20);
    // The first request also asked for the chain id, and was repeated without that call.
    expect(asked()).toEqual([20, 20, 10, 10, 10, 10]);
    words = "bad request";
    const other = readerOf(chain, { hosts: [server.url] });
    await expect(read(other, { from: 1, to: 100 })).rejects.toThrow("No host of eth answers");
    server.requests.length = 0;
    await expect(read(other, { from: 1, to: 101 })).rejects.toThrow("No host of eth answers");
    expect(asked()).toEqual([101, 101, 50, 50]);
  });
});
