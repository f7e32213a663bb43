import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ChainUnavailable } from "../../../lib/chains/hosts/host-fault.ts";
import type { Decimal } from "../../../lib/core/decimal.ts";
import { delay } from "../../../lib/core/time.ts";
import type { Candle, SwapSums } from "../../../lib/markets/core/candle.ts";
import { withCandles } from "../../../lib/markets/core/candles.ts";
import type { MarketItem } from "../../../lib/markets/items/market-items.ts";
import { Superseded } from "../../../lib/markets/runs/token-store.ts";
import type { FoundTokens } from "../../../lib/markets/sol/find-tokens.ts";
import type { SampledHistoryOrder } from "../../../lib/markets/sol/load-history.ts";
import { SolMarkets } from "../../../lib/markets/sol/markets.ts";
import type { SolPool } from "../../../lib/markets/sol/pools.ts";
import type { PoolSighting } from "../../../lib/markets/sol/rules/witnesses.ts";
import type { SampledState } from "../../../lib/markets/sol/sampled-token.ts";
import { decimal } from "../support/markets.ts";

const startMs = Date.parse("2026-11-22T20:00:00.000Z");
beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(startMs);
});
afterEach(() => void vi.useRealTimers());

const token = "MoonMint";
const wanted = (name: string, wantedMs = startMs) => ({ token: name, wantedMs, isHeld: false });

/** Makes a pool whose depth is a fiftieth of its coins. */
const poolOf = (pool: string, coins: number): SolPool => ({
  pool,
  quote: "native",
  venue: "raydium-cpmm",
  feeBps: 25,
  depth: decimal(String(coins / 50)),
  accounts: [pool],
});

const tokenWith = (...pools: SolPool[]) => ({
  token: { chain: "sol", token, symbol: "MOON", name: "Moon", decimals: 9, supply: decimal("1000") } as const,
  pools,
});

/** A minute of an hour ago, as a history stores it. */
const pastMinute: Candle = {
  start: startMs / 1000 - 3600,
  open: decimal("0.1"),
  high: decimal("0.3"),
  low: decimal("0.1"),
  close: decimal("0.25"),
  pool: { pool: "Pool1", quote: "native" },
  isFinal: false,
  hasGaps: false,
};

/** Stand-in of the table between runs. */
const newTable = () => ({
  item: undefined as MarketItem<SampledState> | undefined,
  saves: 0,
  minutes: [] as readonly Candle[],
  isSuperseded: false,
});

/**
 * A run that reads MOON. Each host shows the coins in each pool, which has a thousand of its tokens; the product of
 * both stays the same. Five slots last a second.
 */
function reading(
  table = newTable(),
  count: (samples: readonly PoolSighting[]) => SwapSums | Promise<undefined> | undefined = () => undefined,
) {
  const state = {
    found: new Map([[token, tokenWith(poolOf("Pool1", 2500))]]) as FoundTokens | "silent",
    /** Coins in the pools as each host shows them. Undefined for a host that does not answer. */
    shows: [{ Pool1: 2500 }, { Pool1: 2500 }] as (Record<string, number> | undefined)[],
    finds: [] as (readonly string[])[],
    asked: [] as string[][],
    coinUsd: decimal("200") as Decimal | undefined,
    histories: [] as SampledHistoryOrder[],
    mayLoad: true,
    hasPast: true,
    counted: [] as (readonly PoolSighting[])[],
    isOver: false,
  };
  const faults: unknown[] = [];
  const silences: unknown[] = [];
  const show = (coins: Record<string, number>) => {
    state.shows = [coins, coins];
  };
  const markets = new SolMarkets({
    async find(tokens) {
      state.finds.push(tokens);
      if (state.found === "silent") throw new ChainUnavailable("sol");
      return state.found;
    },
    async look(pools) {
      state.asked.push(pools.map(({ pool }) => pool));
      const now = Date.now() / 1000;
      const looks = state.shows.flatMap((coinsOf, index) => {
        if (coinsOf === undefined) return [];
        const at = { slot: Math.floor(5 * now) + index, time: Math.floor(now) };
        const sightings = pools.flatMap(({ pool }) => {
          const coins = BigInt(coinsOf[pool] ?? 0) * 10n ** 9n;
          if (coins === 0n) return [];
          return [
            [
              pool,
              { ...at, coins, tokens: (5000n * 10n ** 9n * 2500n * 10n ** 9n) / coins, held: coins },
            ] as const,
          ];
        });
        return [
          { host: `host ${index}`, head: { number: at.slot, time: at.time }, pools: new Map(sightings) },
        ];
      });
      if (looks.length === 0) throw new ChainUnavailable("sol");
      return looks;
    },
    async countSwaps(_, samples) {
      state.counted.push(samples);
      return count(samples);
    },
    async loadHistory(order) {
      state.histories.push(order);
      if (state.hasPast) table.minutes = withCandles(table.minutes, [pastMinute]);
      return "complete";
    },
    countHistory: async () => state.mayLoad,
    uncountHistory: async () => {},
    isAlone: false,
    store: {
      readMarket: async () => structuredClone(table.item),
      loadCandles: async (_, kind) => (kind === "minutes" ? table.minutes : []),
      writer: () => ({
        async saveMarket(item) {
          if (table.isSuperseded) throw new Superseded();
          table.item = structuredClone(item);
          table.saves++;
        },
        async saveCandles(_, kind, candles) {
          if (table.isSuperseded) throw new Superseded();
          if (kind === "minutes") table.minutes = withCandles(table.minutes, candles);
        },
      }),
    },
    coinUsdAt: () => state.coinUsd,
    onWarning: (error) => silences.push(error),
    onFault: (error) => faults.push(error),
  });
  const changed = (sinceMs: number, isFull = false) =>
    markets.records([token], { sinceMs, isFull }, Date.now()).map(({ record }) => record);
  const read = () =>
    markets.read({
      epoch: 3,
      get isOver() {
        return state.isOver;
      },
    });
  return { state, table, markets, faults, silences, changed, show, read };
}

const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

describe("SolMarkets", () => {
  it("asks no host while nobody wants a token", async () => {
    const { state, markets, read } = reading();
    expect(await markets.look()).toBeUndefined();
    void read();
    await pass(10);
    expect([state.asked, state.finds]).toEqual([[], []]);
    markets.want([wanted(token)]);
    await pass(4);
    expect(state.finds).toEqual([[token]]);
    expect(state.asked.length).toBeGreaterThan(2);
    markets.want([]);
    const before = state.asked.length;
    await pass(10);
    expect([state.asked.length - before, markets.isWanted]).toEqual([0, false]);
  });

  it("shows a market when it changes, with the minute's candle, and not at each slot", async () => {
    const { state, markets, changed, show, read, faults } = reading();
    markets.want([wanted(token)]);
    void read();
    await pass(3);
    const [record] = changed(0);
    expect(record).toMatchObject({
      chain: "sol",
      token,
      symbol: "MOON",
      decimals: 9,
      price: "0.5",
      priceUsd: "100",
      liquidity: "50",
      quote: "native",
      flags: [],
      revision: 3_000_000,
    });
    expect(record).not.toHaveProperty("minutes");
    const quietMs = Date.now();
    await pass(5);
    expect(changed(quietMs)).toEqual([]);
    expect(markets.head).toEqual({ block: 5 * Math.floor(Date.now() / 1000), time: Date.now() / 1000 });
    show({ Pool1: 5000 });
    await pass(2);
    expect(changed(quietMs)).toMatchObject([{ price: "2", liquidity: "100" }]);
    const [minute] = changed(quietMs)[0]?.minutes ?? [];
    expect(minute).toEqual({
      time: "2026-11-22T20:00:00.000Z",
      open: "0.5",
      high: "2",
      low: "0.5",
      close: "2",
      coinUsd: "200",
      hasGaps: true,
    });
    state.isOver = true;
    expect(faults).toEqual([]);
  });

  it("shows nothing new on the word of a single host, and marks the market as stale", async () => {
    const { state, markets, changed, show, read } = reading();
    markets.want([wanted(token)]);
    void read();
    await pass(3);
    const quietMs = Date.now();
    state.shows = [{ Pool1: 25_000 }, undefined];
    await pass(8);
    expect(changed(quietMs)).toEqual([]);
    state.shows = [{ Pool1: 25_000 }, { Pool1: 2500 }];
    await pass(8);
    expect(changed(0, true)).toMatchObject([{ price: "0.5", liquidity: "50" }]);
    state.shows = [{ Pool1: 25_000 }, undefined];
    await pass(15);
    expect(changed(quietMs)).toMatchObject([{ price: "0.5" }]);
    expect(changed(quietMs)[0]?.flags).toContain("STALE");
    show({ Pool1: 25_000 });
    await pass(2);
    expect(changed(quietMs)).toMatchObject([{ price: "50" }]);
    expect(changed(quietMs)[0]?.flags).not.toContain("STALE");
  });

  it("marks a market as stale, on the stream and in the table, while its hosts contradict each other", async () => {
    const { state, markets, table, changed, show, read } = reading();
    markets.want([wanted(token)]);
    void read();
    await pass(3);
    expect(changed(0)).toMatchObject([{ price: "0.5", flags: [] }]);
    const agreedAt = Math.floor(Date.now() / 1000);
    state.shows = [{ Pool1: 25_000 }, { Pool1: 2500 }];
    const quietMs = Date.now();
    await pass(25);
    expect(changed(quietMs)).toMatchObject([{ price: "0.5", flags: ["STALE"] }]);
    expect(markets.head?.time).toBeGreaterThan(agreedAt + 20);
    state.isOver = true;
    await pass(2);
    expect(table.item?.market.blockTime).toBeLessThanOrEqual(agreedAt);
    state.isOver = false;
    void read();
    show({ Pool1: 25_000 });
    await pass(3);
    expect(changed(quietMs)).toMatchObject([{ price: "50", flags: ["GAPS"] }]);
  });

  it("reports an outage of all hosts once", async () => {
    const { state, markets, silences, faults, read } = reading();
    markets.want([wanted(token)]);
    void read();
    await pass(2);
    state.shows = [];
    await pass(5);
    expect([silences.length, await markets.look()]).toEqual([1, false]);
    state.shows = [{ Pool1: 2500 }, { Pool1: 2500 }];
    await pass(2);
    state.shows = [];
    await pass(2);
    expect([silences.length, faults]).toEqual([2, []]);
  });

  it("shows no pool for an address that is not a token, and asks again after ten minutes", async () => {
    const { state, markets, changed, read } = reading();
    state.found = new Map([[token, undefined]]);
    markets.want([wanted(token)]);
    void read();
    await pass(3);
    expect(changed(0)).toMatchObject([{ token, flags: ["NO_POOL"] }]);
    expect(markets.markets(Date.now())).toEqual([]);
    await pass(590);
    expect(state.finds).toHaveLength(1);
    await pass(10);
    expect(state.finds).toHaveLength(2);
  });

  it("asks again after five seconds while hosts are silent or do not agree on a token", async () => {
    const { state, markets, changed, read } = reading();
    state.found = "silent";
    markets.want([wanted(token)]);
    void read();
    await pass(6);
    state.found = new Map();
    await pass(5);
    expect([state.finds.length, changed(0)]).toEqual([3, []]);
  });

  it("prices a token by its deepest pool, and not by a stranger's pool at ten times the price", async () => {
    const { state, markets, changed, read } = reading();
    // Depths of pools below a tenth of a coin would not even be considered.
    const stranger = { ...poolOf("Stranger", 0.1), depth: decimal("0.1") };
    state.found = new Map([[token, tokenWith(stranger, poolOf("Pool1", 2500))]]);
    state.shows = [
      { Pool1: 2500, Stranger: 25_000 },
      { Pool1: 2500, Stranger: 25_000 },
    ];
    markets.want([wanted(token)]);
    void read();
    await pass(3);
    expect(changed(0)).toMatchObject([{ price: "0.5" }]);
    expect(state.asked.at(-1)).toEqual(["Pool1"]);
  });

  it("moves to another pool soon after the reference has closed, and marks the first minute there", async () => {
    const { state, markets, changed, show, read } = reading();
    markets.want([wanted(token)]);
    void read();
    await pass(30);
    state.found = new Map([[token, tokenWith(poolOf("Pool2", 5000))]]);
    show({ Pool2: 5000 });
    await pass(10);
    expect(state.asked.at(-1)).toContain("Pool2");
    await pass(60);
    show({ Pool2: 2500 });
    await pass(3);
    expect(changed(0)).toMatchObject([{ price: "0.5" }]);
    expect(changed(0)[0]?.minutes?.at(-1)).toMatchObject({ time: "2026-11-22T20:01:00.000Z", open: "2" });
  });

  it("stores final minutes, hours and the market, and removes nothing at the end", async () => {
    const { state, table, markets, show, read } = reading();
    markets.want([wanted(token)]);
    const reads = read();
    await pass(61);
    show({ Pool1: 5000 });
    await pass(2);
    show({ Pool1: 1250 });
    await pass(130);
    expect(table.minutes.slice(1)).toMatchObject([
      { start: startMs / 1000 + 60, isFinal: true, hasGaps: false },
    ]);
    expect(table.minutes[1]).not.toHaveProperty("trades");
    state.isOver = true;
    await pass(2);
    await reads;
    expect(table.item).toMatchObject({
      market: { token, pool: { pool: "Pool1" }, revision: 3_000_000 },
      state: { pools: [{ pool: "Pool1", accounts: ["Pool1"] }], last: { coins: 1250n * 10n ** 9n } },
    });
  });

  it("has the swaps of a minute counted once, soon after it, and stores their sums", async () => {
    const sums = { volume: decimal("2500"), trades: 1 };
    const { state, table, markets, changed, show, read } = reading(newTable(), () => sums);
    state.hasPast = false;
    markets.want([wanted(token)]);
    void read();
    await pass(61);
    show({ Pool1: 5000 });
    await pass(63);
    expect(changed(0)[0]?.minutes?.[0]).not.toHaveProperty("trades");
    await pass(3);
    expect(changed(0)[0]).toMatchObject({ volume24h: "2500", minutes: [{ trades: 1, isFinal: true }] });
    await pass(60);
    expect(table.minutes).toMatchObject([{ ...sums, isFinal: true }]);
    expect(state.counted).toHaveLength(1);
    const seconds = state.counted[0]?.map(({ time }) => time - startMs / 1000) ?? [];
    expect([seconds[0], seconds[1], seconds.at(-1)]).toEqual([59, 60, 119]);
  });

  it("stores a minute without sums if its swaps cannot be counted", async () => {
    const { table, markets, show, read, faults } = reading(newTable(), () => {
      throw new Error("broken");
    });
    markets.want([wanted(token)]);
    void read();
    await pass(61);
    show({ Pool1: 5000 });
    await pass(130);
    expect(table.minutes.slice(1)).toMatchObject([{ isFinal: true }]);
    expect(table.minutes[1]).not.toHaveProperty("volume");
    expect(faults).toHaveLength(1);
  });

  it("has the history before its first sample loaded once, at the expense of a user who wants the token", async () => {
    const { state, markets, changed, read } = reading();
    state.mayLoad = false;
    markets.want([{ ...wanted(token), users: ["alice"] }]);
    void read();
    await pass(10);
    expect([state.histories, markets.markets(Date.now())[0]?.history]).toEqual([[], "loading"]);
    state.mayLoad = true;
    markets.want([{ ...wanted(token), users: ["alice", "bob"] }]);
    await pass(80);
    expect(state.histories).toEqual([
      {
        name: { chain: "sol", token },
        pool: { pool: "Pool1", quote: "native", venue: "raydium-cpmm", accounts: ["Pool1"] },
        decimals: 9,
        first: { block: expect.any(Number), time: expect.any(Number) },
      },
    ]);
    expect(state.histories[0]?.first.time).toBeLessThan(startMs / 1000 + 4);
    expect(markets.markets(Date.now())).toMatchObject([
      { history: "complete", day: { low: pastMinute.low } },
    ]);
    expect(changed(0)).toMatchObject([{ change24h: 400 }]);
    expect(changed(0)[0]).not.toHaveProperty("volume24h");
  });

  it("does not count the swaps of minutes that others have kept waiting for too long, so that they become final", async () => {
    const names = ["MoonA", "MoonB", "MoonC", "MoonD"];
    const coins = (each: number) => Object.fromEntries(names.map((name) => [name, each]));
    const { state, markets, show, read } = reading(newTable(), async () => {
      await delay(100_000);
      return undefined;
    });
    state.found = new Map(
      names.map((name) => {
        const { token: found, pools } = tokenWith(poolOf(name, 2500));
        return [name, { token: { ...found, token: name }, pools }];
      }),
    );
    show(coins(2500));
    markets.want(names.map((name) => wanted(name)));
    void read();
    await pass(65);
    show(coins(5000));
    await pass(300);
    expect(state.counted).toHaveLength(3);
    state.isOver = true;
    await pass(2);
  });

  it("hands a minute over to the next run without a gap and without a search", async () => {
    const first = reading();
    first.markets.want([wanted(token)]);
    const reads = first.read();
    await pass(65);
    first.show({ Pool1: 5000 });
    await pass(3);
    first.state.isOver = true;
    await pass(2);
    await reads;
    const second = reading(first.table);
    second.show({ Pool1: 1250 });
    second.markets.want([wanted(token)]);
    void second.read();
    await pass(3);
    expect(second.state.finds).toEqual([]);
    const minute = { time: "2026-11-22T20:01:00.000Z", open: "0.5", high: "2", low: "0.125", close: "0.125" };
    const minutes = second.changed(0)[0]?.minutes;
    expect(minutes).toMatchObject([minute]);
    expect(minutes?.[0]).not.toHaveProperty("hasGaps");
    await pass(120);
    expect(first.table.minutes.slice(1)).toMatchObject([{ isFinal: true, hasGaps: false }]);
  });

  it("starts over after a run of an earlier version, which stored no pools", async () => {
    const first = reading();
    first.markets.want([wanted(token)]);
    void first.read();
    await pass(5);
    first.state.isOver = true;
    await pass(2);
    Object.assign(first.table.item ?? {}, { state: {} });
    const second = reading(first.table);
    second.markets.want([wanted(token)]);
    void second.read();
    await pass(3);
    expect([second.state.finds, second.faults]).toEqual([[[token]], []]);
    expect(second.changed(0)).toMatchObject([{ price: "0.5" }]);
  });

  it("starts over after a run that died an hour ago", async () => {
    const first = reading();
    first.markets.want([wanted(token)]);
    void first.read();
    await pass(310);
    first.state.isOver = true;
    await pass(2);
    await pass(3600);
    const second = reading(first.table);
    second.markets.want([wanted(token)]);
    void second.read();
    await pass(3);
    expect(second.state.finds).toEqual([[token]]);
    expect(second.changed(0)).toMatchObject([{ price: "0.5" }]);
  });

  it("stops once another run has written", async () => {
    const { table, markets, faults, read } = reading();
    table.isSuperseded = true;
    markets.want([wanted(token)]);
    let isOver = false;
    void read().then(() => {
      isOver = true;
    });
    await pass(310);
    expect([isOver, faults]).toEqual([true, []]);
  });
});
