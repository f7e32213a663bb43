import { describe, expect, it } from "vitest";
import { decimal } from "../support/markets.ts";
import { fakeTimeForTests, pass, poolOf, reading, token, tokenWith, wanted } from "./support/reading.ts";

fakeTimeForTests();

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

  it("shows nothing new that only a single host says, and marks the market as stale", async () => {
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
    const { state, table, markets, changed, show, read } = reading();
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
    // Stores the new pool at once, and not minutes later with the next row.
    expect(table.item?.market.pool?.pool).toBe("Pool2");
  });
});
