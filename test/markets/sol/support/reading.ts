import { afterEach, beforeEach, vi } from "vitest";
import { ChainUnavailable } from "../../../../lib/chains/hosts/host-fault.ts";
import type { Decimal } from "../../../../lib/core/decimal.ts";
import type { Candle, SwapSums } from "../../../../lib/markets/core/candle.ts";
import { withCandles } from "../../../../lib/markets/core/candles.ts";
import type { MarketItem } from "../../../../lib/markets/items/market-items.ts";
import { Superseded } from "../../../../lib/markets/runs/token-store.ts";
import type { FoundTokens } from "../../../../lib/markets/sol/find-tokens.ts";
import type { SampledHistoryOrder } from "../../../../lib/markets/sol/load-history.ts";
import { SolMarkets } from "../../../../lib/markets/sol/markets.ts";
import type { SolPool } from "../../../../lib/markets/sol/pools.ts";
import type { PoolSighting } from "../../../../lib/markets/sol/rules/witnesses.ts";
import type { SampledState } from "../../../../lib/markets/sol/sampled-token.ts";
import { decimal } from "../../support/markets.ts";

export const startMs = Date.parse("2026-11-22T20:00:00.000Z");

/** Lets the tests of a file begin at {@link startMs}, with timers that {@link pass} advances. */
export function fakeTimeForTests(): void {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.setSystemTime(startMs);
  });
  afterEach(() => void vi.useRealTimers());
}

export const token = "MoonMint";
export const wanted = (name: string, wantedMs = startMs) => ({ token: name, wantedMs, isHeld: false });

/** Makes a pool whose depth is a fiftieth of its coins. */
export const poolOf = (pool: string, coins: number): SolPool => ({
  pool,
  quote: "native",
  venue: "raydium-cpmm",
  feeBps: 25,
  depth: decimal(String(coins / 50)),
  accounts: [pool],
});

export const tokenWith = (...pools: SolPool[]) => ({
  token: { chain: "sol", token, symbol: "MOON", name: "Moon", decimals: 9, supply: decimal("1000") } as const,
  pools,
});

/** A minute of an hour ago, as a history stores it. */
export const pastMinute: Candle = {
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
export const newTable = () => ({
  item: undefined as MarketItem<SampledState> | undefined,
  saves: 0,
  minutes: [] as readonly Candle[],
  isSuperseded: false,
});

/**
 * A run that reads MOON. Each host shows the coins in each pool; the product of its coins and tokens stays the same.
 * Five slots last a second.
 */
export function reading(
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

export const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);
