import { type SecondHost, startSecondHost } from "trading-terminal-devnet/evm/second-host";
import { startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { wordOfReserves } from "../../../lib/chains/evm/rules/pool-price.ts";
import { lookAtPools, newPoolsMemory } from "../../../lib/markets/evm/look-at-pools.ts";
import type { WatchedPool } from "../../../lib/markets/evm/rules/watched-pool.ts";
import { readerOf } from "../../support/chain-reader.ts";
import { answering, type RpcServer, startRpcServer } from "../../support/json-rpc-server.ts";
import { type LocalPool, localPoolsOf } from "../../support/market-pools.ts";

let chain: TestChain;
let broken: RpcServer;
let late: SecondHost;
let pools: Record<LocalPool, WatchedPool>;
beforeAll(async () => {
  [chain, broken] = await Promise.all([startTestChain({ chain: "base" }), startRpcServer()]);
  broken.misbehaviour = answering("", 500);
  late = await startSecondHost({ chainUrl: chain.url });
  pools = await localPoolsOf(chain);
});
afterAll(() => Promise.all([chain.close(), broken.stop(), late.close()]));
beforeEach(async () => {
  late.faults = {};
  await chain.restore();
});

const coins = (count: number) => BigInt(Math.round(count * 1000)) * 10n ** 15n;
const none = { heights: [], pools: [] };

const header = async (number: number) =>
  (await chain.request("eth_getBlockByNumber", [`0x${number.toString(16)}`, false])) as Record<
    "hash" | "timestamp",
    string
  >;
const newest = async () => Number(await chain.request("eth_blockNumber"));

describe("lookAtPools", () => {
  it("shows the head, its ancestors and the states of pools of all kinds", async () => {
    await chain.mine(3);
    const number = await newest();
    const look = await lookAtPools(
      readerOf(chain),
      newPoolsMemory(),
      { heights: [number - 2, number, number + 1], pools: Object.values(pools) },
      0,
    );
    expect(look).toMatchObject({
      number,
      time: Number((await header(number)).timestamp),
      parentHash: (await header(number - 1)).hash,
      hashes: new Map([[number - 2, (await header(number - 2)).hash]]),
    });
    const { moonV2 } = pools;
    const [tokens, paid] = [coins(1_000_000), coins(100)];
    expect(look?.words.get(moonV2.pool)).toBe(
      moonV2.isTokenFirst ? wordOfReserves(tokens, paid) : wordOfReserves(paid, tokens),
    );
    for (const { pool, venue } of Object.values(pools).filter((each) => each.venue !== "uniswap-v2")) {
      const slot0 = await chain.call(pool, "0x3850c7bd");
      expect([venue, look?.words.get(pool)]).toEqual([venue, BigInt(slot0.slice(0, 66))]);
    }
  });

  it("omits addresses that are not pools, or not pools of the stated kind", async () => {
    const { moonV2, moonV3 } = pools;
    const asked = [
      { pool: `0x${"1".repeat(40)}`, venue: "uniswap-v3" },
      { pool: chain.contracts.wrapped.token, venue: "uniswap-v2" },
      { pool: moonV2.pool, venue: "uniswap-v3" },
      moonV3,
    ] as const;
    const look = await lookAtPools(readerOf(chain), newPoolsMemory(), { heights: [], pools: asked }, 0);
    expect([...(look?.words.keys() ?? [])]).toEqual([moonV3.pool]);
  });

  it("reads hashes from block headers if contracts can no longer read them", async () => {
    const old = await newest();
    await chain.mine(300);
    const look = await lookAtPools(readerOf(chain), newPoolsMemory(), { heights: [old], pools: [] }, 0);
    expect(look?.hashes).toEqual(new Map([[old, (await header(old)).hash]]));
  });

  it("queries the next host if one fails, and fails if none answers", async () => {
    const hosts = [broken.url, chain.url];
    const look = await lookAtPools(readerOf(chain, { hosts }), newPoolsMemory(), none, 0);
    expect(look?.number).toBe(await newest());
    const lonely = readerOf(chain, { hosts: [broken.url] });
    await expect(lookAtPools(lonely, newPoolsMemory(), none, 0)).rejects.toThrow("No host of base answers");
  });

  it("drops the looks of a host that goes back to older blocks, and switches hosts after ten seconds", async () => {
    await chain.mine(5);
    const reader = readerOf(chain, { hosts: [late.url, chain.url] });
    const memory = newPoolsMemory();
    const number = await newest();
    const look = async (nowMs: number) => (await lookAtPools(reader, memory, none, nowMs))?.number;
    expect(await look(0)).toBe(number);
    late.faults = { blocksBehind: 3 };
    for (const nowMs of [1000, 10_999, 11_000]) expect(await look(nowMs)).toBeUndefined();
    expect(await look(12_000)).toBe(number);
    await chain.mine();
    expect(await look(13_000)).toBe(number + 1);
  });

  it("switches hosts if one shows no new block for half a minute", async () => {
    await chain.mine(5);
    late.faults = { blocksBehind: 3 };
    const reader = readerOf(chain, { hosts: [late.url, chain.url] });
    const memory = newPoolsMemory();
    const number = await newest();
    const look = async (nowMs: number) => (await lookAtPools(reader, memory, none, nowMs))?.number;
    for (const nowMs of [0, 29_999, 30_000]) expect(await look(nowMs)).toBe(number - 3);
    for (const nowMs of [30_001, 60_000]) expect(await look(nowMs)).toBe(number);
  });
});
