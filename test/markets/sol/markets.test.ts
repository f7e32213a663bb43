import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ChainUnavailable } from "../../../lib/chains/hosts/host-fault.ts";
import type { Decimal } from "../../../lib/core/decimal.ts";
import type { TokenPools } from "../../../lib/markets/core/market.ts";
import type { MarketItem } from "../../../lib/markets/items/market-items.ts";
import { Superseded } from "../../../lib/markets/runs/token-store.ts";
import { SolMarkets } from "../../../lib/markets/sol/markets.ts";
import { decimal } from "../support/markets.ts";

const startMs = Date.parse("2026-11-22T20:00:00.000Z");
beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(startMs);
});
afterEach(() => void vi.useRealTimers());

const token = "MoonMint";
const wanted = (name: string, wantedMs = startMs) => ({ token: name, wantedMs, isHeld: false });

/** Returns a token as the host shows it at a slot, two seconds after the previous one. */
const found = (slot: number, price: string | undefined, depth = "50"): TokenPools => ({
  token: {
    chain: "sol",
    token,
    symbol: "MOON",
    name: "Moon",
    decimals: 9,
    supply: decimal("1000"),
  },
  pools: price
    ? [
        {
          pool: "Pool1",
          quote: "native",
          venue: "raydium-cpmm",
          feeBps: 25,
          depth: decimal(depth),
          price: decimal(price),
        },
      ]
    : [],
  block: { number: slot, time: startMs / 1000 + 2 * slot },
});

function reading() {
  const state = {
    /** How the host shows MOON: "behind" if the host lags, and "silent" if it does not answer. */
    shows: found(1, "0.5") as TokenPools | "behind" | "silent" | "unknown",
    asked: [] as (readonly string[])[],
    saved: [] as { item: MarketItem; wantedAt: Date }[],
    firstSeenAt: undefined as string | undefined,
    isSuperseded: false,
    coinUsd: decimal("200") as Decimal | undefined,
    isOver: false,
  };
  const faults: unknown[] = [];
  const silences: unknown[] = [];
  const markets = new SolMarkets({
    async readPools(tokens) {
      state.asked.push(tokens);
      const { shows } = state;
      if (shows === "silent") throw new ChainUnavailable("sol");
      if (shows === "behind") return undefined;
      return new Map(shows === "unknown" ? [] : [[token, shows]]);
    },
    store: {
      readMarket: async () =>
        state.firstSeenAt ? ({ market: { firstSeenAt: state.firstSeenAt } } as never) : undefined,
      loadCandles: async () => [],
      writer: () => ({
        async saveMarket(item, wantedAt) {
          if (state.isSuperseded) throw new Superseded();
          state.saved.push(structuredClone({ item, wantedAt }));
        },
        saveCandles: () => Promise.reject(new Error("sol has no candles")),
      }),
    },
    coinUsdAt: () => state.coinUsd,
    onWarning: (error) => silences.push(error),
    onFault: (error) => faults.push(error),
  });
  const changed = (sinceMs: number, isFull = false) =>
    markets.records([token], { sinceMs, isFull }, Date.now());
  const read = () =>
    markets.read({
      epoch: 3,
      get isOver() {
        return state.isOver;
      },
    });
  return { state, markets, faults, silences, changed, read };
}

const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

describe("SolMarkets", () => {
  it("queries no host while nobody wants a token", async () => {
    const { state, markets, read } = reading();
    expect(await markets.look()).toBeUndefined();
    void read();
    await pass(10);
    expect(state.asked).toEqual([]);
    markets.want([wanted(token)]);
    await pass(4);
    expect(state.asked).toEqual([[token], [token]]);
    markets.want([]);
    await pass(10);
    expect([state.asked.length, markets.isWanted]).toEqual([2, false]);
  });

  it("shows a market when it changes, not at each slot", async () => {
    const { state, markets, changed, read } = reading();
    markets.want([wanted(token)]);
    void read();
    await pass(0);
    const record = {
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
      block: 1,
      asOf: new Date(startMs).toISOString(),
    };
    expect(changed(0)).toEqual([{ record, changedAtMs: startMs }]);
    state.shows = found(2, "0.5");
    await pass(2);
    expect(changed(startMs)).toEqual([]);
    expect(changed(startMs, true)).toMatchObject([{ record: { block: 2 }, changedAtMs: startMs }]);
    expect(markets.head).toEqual({ block: 2, time: startMs / 1000 + 4 });
    state.shows = found(3, "0.6");
    await pass(2);
    expect(changed(startMs)).toMatchObject([{ record: { price: "0.6" }, changedAtMs: startMs + 4000 }]);
    state.shows = found(4, undefined);
    await pass(2);
    expect(changed(startMs + 4000)).toMatchObject([{ record: { flags: ["NO_POOL"] } }]);
  });

  it("flags thin markets and markets whose host is silent or behind, and reports an outage once", async () => {
    const { state, markets, changed, faults, silences, read } = reading();
    state.shows = found(1, "0.5", "4.9");
    markets.want([wanted(token)]);
    void read();
    await pass(0);
    expect(changed(0)).toMatchObject([{ record: { flags: ["THIN"] } }]);
    state.shows = "silent";
    await pass(8);
    expect([changed(startMs), silences.length, await markets.look()]).toEqual([[], 1, false]);
    state.shows = "behind";
    await pass(8);
    expect(changed(startMs)).toMatchObject([{ record: { flags: ["THIN", "STALE"], block: 1 } }]);
    state.shows = "silent";
    await pass(4);
    expect([silences.length, faults]).toEqual([2, []]);
  });

  it("shows no pool for an address that is not a token", async () => {
    const { state, markets, changed } = reading();
    state.shows = "unknown";
    markets.want([wanted(token)]);
    expect(changed(0)).toEqual([]);
    expect(await markets.look()).toBe(true);
    expect(changed(0)).toMatchObject([{ record: { token, flags: ["NO_POOL"], block: 0 } }]);
    expect(markets.markets()).toEqual([]);
  });

  it("stores a market every five minutes, with the time when the token was first seen", async () => {
    const { state, markets, read } = reading();
    state.firstSeenAt = "2026-11-01T00:00:00.000Z";
    markets.want([wanted(token, startMs - 60_000)]);
    void read();
    await pass(299);
    expect(state.saved).toMatchObject([
      {
        item: { market: { firstSeenAt: state.firstSeenAt, block: 1 } },
        wantedAt: new Date(startMs - 60_000),
      },
    ]);
    state.shows = found(9, "0.7");
    await pass(3);
    expect(state.saved[1]).toMatchObject({ item: { market: { firstSeenAt: state.firstSeenAt, block: 9 } } });
  });

  it("stops once another run has written", async () => {
    const { state, markets, faults, read } = reading();
    state.isSuperseded = true;
    markets.want([wanted(token)]);
    let isOver = false;
    void read().then(() => {
      isOver = true;
    });
    await pass(2);
    expect([isOver, state.asked.length, faults]).toEqual([true, 1, []]);
  });
});
