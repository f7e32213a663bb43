import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { HistoryState } from "../../../lib/markets/core/market.ts";
import { EvmMarkets } from "../../../lib/markets/evm/markets.ts";
import type { HostChoice } from "../../../lib/markets/evm/rules/look-round.ts";
import type { FoundPool, MarketState } from "../../../lib/markets/evm/rules/token-market.ts";
import type { WatchedPool } from "../../../lib/markets/evm/rules/watched-pool.ts";
import type { TokenStore } from "../../../lib/markets/runs/chain-markets.ts";
import { decimal } from "../support/markets.ts";
import { q96, ScriptedHosts, v3Pool } from "./rules/support/scripted-hosts.ts";

const startMs = Date.parse("2026-11-22T20:00:00.000Z");
beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(startMs);
});
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

type Asked = { heights: readonly number[]; pools: readonly WatchedPool[] };

/** Delays each look. All pools have the same state. */
class SlowHosts extends ScriptedHosts {
  lookMs = 400;

  override async look({ heights, pools }: Asked) {
    const shown = await super.look({ heights });
    await new Promise((end) => setTimeout(end, this.lookMs));
    return { ...shown, words: statesOf(pools, shown.words) };
  }

  override async states(of: HostChoice, { block, pools }: { block: number; pools: readonly WatchedPool[] }) {
    return statesOf(pools, await super.states(of, { block }));
  }

  leaveHost() {}
}

const statesOf = (pools: readonly WatchedPool[], words: ReadonlyMap<string, bigint> | undefined) =>
  new Map(pools.map((each) => [each.pool, words?.get(v3Pool.pool) ?? q96]));

const store: TokenStore<MarketState> = {
  readMarket: async () => undefined,
  loadCandles: async () => [],
  writer: () => ({ saveMarket: async () => {}, saveCandles: async () => {} }),
};

const { token } = v3Pool;
const pool: FoundPool = { ...v3Pool, venue: "uniswap-v3", feeBps: 30, depth: decimal("50") };

/** Starts to read a token that has these pools. */
const readerOf = (
  hosts: SlowHosts,
  pools: readonly FoundPool[],
  loadHistory: (pool: FoundPool) => Promise<HistoryState> = async () => "complete",
) => {
  const faults: unknown[] = [];
  const warnings: unknown[] = [];
  const counted: string[] = [];
  const markets = new EvmMarkets({
    chain: "base",
    hosts,
    store,
    coinUsdAt: () => undefined,
    loadHistory,
    countHistory: async (userID) => {
      if (userID.startsWith("spent")) return false;
      counted.push(userID);
      return true;
    },
    async uncountHistory(userID) {
      counted.splice(counted.indexOf(userID), 1);
    },
    find: async () => ({
      token: { chain: "base", token, symbol: "T", name: "T", decimals: 18, supply: decimal("1000") },
      pools,
    }),
    onFault: (error) => faults.push(error),
    onWarning: (error) => warnings.push(error),
  });
  const run = { epoch: 1, isOver: false };
  markets.want([{ token, wantedMs: startMs, isHeld: false }]);
  const read = markets.read(run);
  const end = async () => {
    run.isOver = true;
    await pass(5000);
    await read;
  };
  return { markets, faults, warnings, counted, end };
};

const mineIn = (hosts: SlowHosts) => hosts.mine(Math.floor(Date.now() / 1000));

describe("EvmMarkets", () => {
  it("includes a change in the first delivery after it was seen, even if that delivery began during the look", async () => {
    const hosts = new SlowHosts();
    const mine = (words: readonly bigint[] = []) => hosts.mine(Math.floor(Date.now() / 1000), words);
    for (let block = 0; block < 3; block++) mine();
    const { markets, faults, end } = readerOf(hosts, [pool]);
    const priceSince = (sinceMs: number) =>
      markets.records([token], { sinceMs, isFull: false }, Date.now())[0]?.record.price;
    await pass(5000);
    expect(priceSince(0)).toBe("1");
    mine([2n * q96]);
    let deliveredMs = Date.now();
    const seen: (string | undefined)[] = [];
    // Delivers every 50 ms, so that some deliveries begin during a look.
    for (let deliveries = 0; deliveries < 60; deliveries++) {
      await pass(50);
      seen.push(priceSince(deliveredMs));
      deliveredMs = Date.now();
    }
    expect(seen).toContain("4");
    expect(faults).toEqual([]);
    await end();
  });

  it("warns of a pool with too many events, which a stranger can make, and reports no fault", async () => {
    const hosts = new SlowHosts();
    for (let block = 0; block < 3; block++) mineIn(hosts);
    const { markets, faults, warnings, end } = readerOf(hosts, [pool]);
    await pass(5000);
    markets.leavePools(new Set([pool.pool]));
    expect(warnings).toEqual([expect.objectContaining({ name: "FloodedPool" })]);
    expect(faults).toEqual([]);
    await end();
  });

  it("does not load a token's history until the token has a pool", async () => {
    const hosts = new SlowHosts();
    for (let block = 0; block < 3; block++) mineIn(hosts);
    const pools: FoundPool[] = [];
    let loaded: (state: HistoryState) => void = () => {};
    const loading = new Promise<HistoryState>((resolve) => {
      loaded = resolve;
    });
    const { markets, end } = readerOf(hosts, pools, () => loading);
    const history = () => markets.markets(Date.now())[0]?.history;
    await pass(5000);
    expect(history()).toBe("unavailable");
    pools.push(pool);
    // Pools are searched again every ten minutes.
    await pass(10 * 60_000);
    expect(history()).toBe("loading");
    loaded("complete");
    await pass(1000);
    expect(history()).toBe("complete");
    await end();
  });

  it.each([
    ["was read", async (): Promise<HistoryState> => "complete", "complete"],
    ["could not be read", () => Promise.reject(new Error("silent")), "unavailable"],
  ])("loads no history for a later reference pool if the history of the first %s", async (_, read, state) => {
    const hosts = new SlowHosts();
    for (let block = 0; block < 3; block++) mineIn(hosts);
    const deeper: FoundPool = { ...pool, pool: "0xdeeper", depth: decimal("501") };
    const pools = [pool];
    const asked: string[] = [];
    const { markets, end } = readerOf(hosts, pools, async (found) => {
      asked.push(found.pool);
      return read();
    });
    await pass(5000);
    pools.push(deeper);
    for (let minute = 0; minute < 15; minute++) {
      mineIn(hosts);
      await pass(60_000);
    }
    expect(markets.markets(Date.now())[0]?.pool?.pool).toBe("0xdeeper");
    // Loading the second pool's history would mix the minute candles of both pools.
    expect(new Set(asked)).toEqual(new Set([pool.pool]));
    expect(markets.markets(Date.now())[0]?.history).toBe(state);
    await end();
  });

  it.each([
    [["ann", "ann", "ann"], 1],
    [["ann", "ann", "bob"], 2],
    [["ann", "bob", "eve"], 2],
  ])("reads one history of a user at a time, and two of all, for tokens of %j", async (users, expected) => {
    const hosts = new SlowHosts();
    for (let block = 0; block < 3; block++) mineIn(hosts);
    let [begun, isOpen] = [0, false];
    const { markets, end } = readerOf(hosts, [pool], async () => {
      begun++;
      while (!isOpen) await new Promise((resolve) => setTimeout(resolve, 100));
      return "complete";
    });
    markets.want(
      users.map((user, index) => ({ token: `t${index}`, wantedMs: startMs, isHeld: false, users: [user] })),
    );
    await pass(10_000);
    expect(begun).toBe(expected);
    isOpen = true;
    await pass(5000);
    expect(begun).toBe(users.length);
    await end();
  });

  it("reads no history for a user whose day's number is used up, until another user wants the token", async () => {
    const hosts = new SlowHosts();
    for (let block = 0; block < 3; block++) mineIn(hosts);
    let begun = 0;
    const { markets, end } = readerOf(hosts, [pool], async () => {
      begun++;
      return "complete";
    });
    const want = (users: readonly string[]) =>
      markets.want([{ token, wantedMs: startMs, isHeld: false, users }]);
    want(["spent"]);
    await pass(10_000);
    expect([begun, markets.markets(Date.now())[0]?.history]).toEqual([0, "loading"]);
    want(["spent", "bob"]);
    await pass(120_000);
    expect([begun, markets.markets(Date.now())[0]?.history]).toEqual([1, "complete"]);
    await end();
  });

  it("finds a user who can pay for a history within seconds, behind many whose day's number is used up", async () => {
    const hosts = new SlowHosts();
    for (let block = 0; block < 3; block++) mineIn(hosts);
    const { markets, counted, end } = readerOf(hosts, [pool]);
    const users = [...Array.from({ length: 10 }, (_, index) => `spent ${index}`), "bob"];
    markets.want([{ token, wantedMs: startMs, isHeld: false, users }]);
    await pass(20_000);
    expect([counted, markets.markets(Date.now())[0]?.history]).toEqual([["bob"], "complete"]);
    await end();
  });

  it("counts a history that is loaded or that a token prevents, and none that fails in an outage", async () => {
    const hosts = new SlowHosts();
    for (let block = 0; block < 3; block++) mineIn(hosts);
    const ends: (() => Promise<HistoryState>)[] = [
      () => Promise.reject(new Error("no host answers")),
      async () => "unavailable",
    ];
    let begun = 0;
    const { markets, faults, counted, end } = readerOf(hosts, [pool], async () => {
      const next = ends[begun++];
      return next === undefined ? "complete" : next();
    });
    markets.want([{ token, wantedMs: startMs, isHeld: false, users: ["ann"] }]);
    await pass(30_000);
    expect([begun, counted, faults.length]).toEqual([1, [], 1]);
    mineIn(hosts);
    await pass(60_000);
    expect([begun, counted]).toEqual([2, ["ann"]]);
    expect(markets.markets(Date.now())[0]?.history).toBe("unavailable");
    await end();
  });

  it("retries an unreadable history after pauses that double up to ten minutes", async () => {
    const hosts = new SlowHosts();
    for (let block = 0; block < 3; block++) mineIn(hosts);
    const askedMs: number[] = [];
    const { markets, faults, end } = readerOf(hosts, [pool], async () => {
      askedMs.push(Date.now());
      throw new Error("the table is throttled");
    });
    for (let minute = 0; minute < 40; minute++) {
      mineIn(hosts);
      await pass(60_000);
    }
    const pauses = askedMs.slice(1).map((ms, index) => Math.round((ms - Number(askedMs[index])) / 60_000));
    expect(pauses).toEqual([1, 2, 4, 8, 10, 10]);
    expect(faults).toHaveLength(askedMs.length);
    expect(markets.markets(Date.now())[0]?.history).toBe("loading");
    await end();
  });
});
