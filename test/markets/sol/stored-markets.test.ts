import { describe, expect, it } from "vitest";
import { delay } from "../../../lib/core/time.ts";
import { decimal } from "../support/markets.ts";
import {
  fakeTimeForTests,
  newTable,
  pass,
  pastMinute,
  poolOf,
  reading,
  startMs,
  token,
  tokenWith,
  wanted,
} from "./support/reading.ts";

fakeTimeForTests();

describe("SolMarkets", () => {
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
