import { describe, expect, it } from "vitest";
import { DomainError } from "../../lib/core/domain-error.ts";
import { writeChunk } from "../../lib/markets/items/chunk-items.ts";
import { writeMarket } from "../../lib/markets/items/market-items.ts";
import { price } from "../support/executions.ts";
import {
  at,
  candle,
  candlesForTests,
  newToken,
  candlesNow as now,
  timesAndCloses,
} from "./support/candles.ts";
import { decimal, marketAt, otherToken } from "./support/markets.ts";

const { db, chains, state, list, store } = candlesForTests();

const stable = { pool: "0x02", quote: otherToken };

describe("listCandles", () => {
  it("lists the stored candles of a range, the oldest first", async () => {
    const token = newToken();
    const odd = { open: decimal("1"), high: decimal("4"), low: decimal("0.5"), trades: 7, hasGaps: true };
    const minutes = [candle(at("22T19:58"), "2"), candle(at("22T20:01"), "3", { ...odd, isFinal: false })];
    await store(token, "minutes", [...minutes, candle(at("22T20:02"), "5")], 6);
    const { candles } = await list(token, { to: "2026-11-22T20:02:00.000Z" });
    expect(candles).toEqual({
      interval: "1m",
      currency: "quote",
      quote: "native",
      history: "loading",
      revision: 6,
      candles: [
        {
          time: "2026-11-22T19:58:00.000Z",
          open: "2",
          high: "2",
          low: "2",
          close: "2",
          volume: "2",
          trades: 1,
          isFinal: true,
        },
        {
          time: "2026-11-22T20:01:00.000Z",
          open: "1",
          high: "4",
          low: "0.5",
          close: "3",
          volume: "2",
          trades: 7,
          isFinal: false,
          hasGaps: true,
        },
      ],
    });
    expect([state.wanted, state.identified]).toEqual([[token], 0]);
  });

  it("marks the first candle after a change of the reference pool, even in longer intervals", async () => {
    const token = newToken();
    const [later, last] = [
      { pool: "0x02", quote: "native" },
      { pool: "0x03", quote: "native" },
    ];
    const minutes = [
      candle(at("20T19:58"), "1"),
      ...["22T19:51", "22T19:56"].map((time) => candle(at(time), "2", { pool: later })),
      candle(at("22T19:57"), "3", { pool: last }),
      candle(at("22T19:58"), "3", { pool: later }),
      candle(at("22T20:01"), "4", { pool: later }),
    ];
    await store(token, "minutes", minutes);
    const marks = async (interval: "1m" | "5m") =>
      (await list(token, { interval, limit: "6", from: "2026-11-20T00:00:00.000Z" })).candles.candles.map(
        ({ time, hasNewPool }) => `${time.slice(11, 16)}${hasNewPool ? " new" : ""}`,
      );
    expect(await marks("1m")).toEqual(["19:58", "19:51 new", "19:56", "19:57 new", "19:58 new", "20:01"]);
    expect(await marks("5m")).toEqual(["19:55", "19:50 new", "19:55 new", "20:00"]);
  });

  it("returns the last `limit` candles of a range, however far apart those are", async () => {
    const token = newToken();
    const minutes = ["15T01:00", "16T02:00", "20T03:00", "22T20:00"].map((time) => candle(at(time), "1"));
    await store(token, "minutes", minutes);
    const from = "2016-01-01T00:00:00.000Z";
    const timesOf = async (limit: string) =>
      (await list(token, { from, limit })).candles.candles.map(({ time }) => time.slice(8, 16));
    expect(await timesOf("3")).toEqual(["16T02:00", "20T03:00", "22T20:00"]);
    expect(await timesOf("1000")).toHaveLength(4);
  });

  it("converts each minute candle at the coin's closing price before folding", async () => {
    const token = newToken();
    const minutes = [
      candle(at("21T10:00"), "0.1"),
      candle(at("21T10:01"), "300", { pool: stable }),
      candle(at("21T10:03"), "0.2"),
    ];
    await store(token, "minutes", minutes);
    const usd = (close: string, time: string) =>
      candle(at(time), close, { pool: { pool: "coinbase", quote: "usd" } });
    await store("native", "minutes", [usd("2000", "21T10:00"), usd("3000", "21T10:02")]);
    const range = { from: "2026-11-21T10:00:00.000Z", to: "2026-11-21T10:05:00.000Z" };
    const of = async (currency: "usd" | "native", interval: "1m" | "5m" = "1m") =>
      (await list(token, { ...range, currency, interval })).candles.candles;
    expect(timesAndCloses(await of("usd"))).toEqual(["21T10:00 200", "21T10:01 300", "21T10:03 600"]);
    expect(timesAndCloses(await of("native"))).toEqual(["21T10:00 0.1", "21T10:01 0.15", "21T10:03 0.2"]);
    expect(await of("usd", "5m")).toMatchObject([
      { open: "200", high: "600", low: "200", close: "600", volume: "10002", trades: 3 },
    ]);
  });

  it("converts each hour candle at the coin's closing price", async () => {
    const token = newToken();
    await store(token, "hours", [candle(at("10T10:00"), "0.1")]);
    const usd = { pool: { pool: "coinbase", quote: "usd" } };
    await store("native", "hours", [
      candle(at("10T10:00"), "2500", usd),
      candle(at("10T11:00"), "9999", usd),
    ]);
    const range = { from: "2026-11-10T00:00:00.000Z", to: "2026-11-11T00:00:00.000Z" };
    const { candles } = await list(token, { ...range, interval: "1h", currency: "usd" });
    expect(timesAndCloses(candles.candles)).toEqual(["10T10:00 250"]);
    // The coin's candle of that hour may not be stored yet.
    await store(token, "hours", [candle(at("22T10:00"), "0.1")], 1, "eth");
    const minutes = [candle(at("22T10:05"), "2000", usd), candle(at("22T10:55"), "3000", usd)];
    await store("native", "minutes", minutes, 1, "eth");
    const asked = { path: { chain: "eth", token } };
    const recent = await list(token, { interval: "1h", currency: "usd", from: range.from }, asked);
    expect(timesAndCloses(recent.candles.candles)).toEqual(["22T10:00 300"]);
  });

  it("converts at the live price of a coin without candles, and omits candles for which there is no price", async () => {
    const token = newToken();
    const name = { path: { chain: "eth", token } };
    const minutes = [candle(at("22T20:00"), "0.1"), candle(at("22T20:01"), "5", { pool: stable })];
    await store(token, "minutes", minutes, 1, "eth");
    const closes = async () => timesAndCloses((await list(token, { currency: "usd" }, name)).candles.candles);
    expect(await closes()).toEqual(["22T20:01 5"]);
    state.prices = [price({ chain: "eth", symbol: "ETH", price: "2600", asOf: now.toISOString() })];
    expect(await closes()).toEqual(["22T20:00 260", "22T20:01 5"]);
  });

  it("lists only candles in the latest quote", async () => {
    const token = newToken();
    await store(token, "minutes", [
      candle(at("22T20:00"), "0.1"),
      candle(at("22T20:01"), "300", { pool: stable }),
      candle(at("22T20:02"), "301", { pool: { ...stable, pool: "0x03" } }),
    ]);
    const { candles } = await list(token, { interval: "5m" });
    expect(candles.quote).toBe(otherToken);
    expect(timesAndCloses(candles.candles)).toEqual(["22T20:00 301"]);
  });

  it("marks a candle as partial if the token's history begins during that candle", async () => {
    const token = newToken();
    const hours = ["21T19:00", "21T20:00"].map((time) => candle(at(time), "1"));
    await store(token, "hours", hours);
    const firstSeenAt = "2026-11-22T19:30:00.000Z";
    const market = marketAt(now, { token, firstSeenAt, history: "complete", revision: 9 });
    await writeMarket(db.table, { market, state: {} }, { epoch: 1, wantedAt: now });
    const { candles } = await list(token, { interval: "1h" });
    expect(candles).toMatchObject({ history: "complete", revision: 9 });
    expect(candles.candles.map(({ partial }) => partial)).toEqual([true, undefined]);
  });

  it("changes the ETag only if the candles change", async () => {
    const token = newToken();
    await store(token, "minutes", [candle(at("22T19:56"), "1")]);
    const first = await list(token, { interval: "5m" });
    expect(first.etag).toMatch(/^W\/"[\w-]{22}"$/);
    expect((await list(token, { interval: "5m" })).etag).toBe(first.etag);
    expect((await list(token, { interval: "1m" })).etag).not.toBe(first.etag);
    const whole = { chain: "base", token, kind: "minutes", start: at("22T19:50") } as const;
    const corrected = { candles: [candle(at("22T19:56"), "2")], revision: 2 };
    await writeChunk(db.table, whole, corrected, { epoch: 1, version: 1 });
    expect((await list(token, { interval: "5m" })).etag).not.toBe(first.etag);
  });

  it("queries a host about an unknown token, at most 30 times a minute for a user", async () => {
    const token = newToken();
    expect((await list(token)).candles).toMatchObject({ candles: [], history: "loading" });
    expect([state.identified, state.wanted]).toEqual([1, [token]]);
    state.refusal = new DomainError("TOKEN_NOT_FOUND", "There is no token");
    for (let count = 1; count < 30; count++) await expect(list(newToken())).rejects.toThrow("no token");
    await expect(list(newToken())).rejects.toMatchObject({ code: "LOOK_LIMIT_REACHED" });
    expect(state.wanted).toHaveLength(1);
  });

  it("lists the coin's prices in dollars for any interval", async () => {
    const usd = { pool: { pool: "coinbase", quote: "usd" }, volume: decimal("0"), trades: 0 };
    const minutes = [candle(at("22T20:00"), "2600", usd), candle(at("22T20:01"), "2602", usd)];
    await store("native", "minutes", minutes, 0, "eth");
    const wrapped = chains.get("eth")?.configuration.wrapped.token ?? "";
    for (const token of ["native", wrapped]) {
      const { candles } = await list(
        token,
        { interval: "1h", currency: "usd", from: "2026-11-22T19:00:00.000Z" },
        { path: { chain: "eth", token } },
      );
      expect(candles.candles).toMatchObject([{ open: "2600", close: "2602", volume: "0", trades: 0 }]);
    }
    expect([state.wanted, state.identified]).toEqual([[], 0]);
  });

  it.each<[string, object, object, object]>([
    ["a coin's candles in coin", { currency: "native" }, { token: "native" }, { field: "currency" }],
    [
      "a range backwards",
      { from: "2026-11-22T19:00:00.000Z", to: "2026-11-22T18:00:00.000Z" },
      {},
      { field: "from" },
    ],
    ["a range in the future", { from: "2026-11-23T19:00:00.000Z" }, {}, { field: "from" }],
    ["a wrong checksum", {}, { token: `${otherToken.slice(0, -1)}A` }, { field: "token" }],
  ])("rejects a request with %s, and names the field", async (_, query, path, details) => {
    const asked = list(otherToken, query, { path: { chain: "base", token: otherToken, ...path } });
    await expect(asked).rejects.toMatchObject({ code: "INVALID_REQUEST", details });
    expect([state.identified, state.wanted]).toEqual([0, []]);
  });

  it("rejects a request for a chain that does not trade, and names those that do", async () => {
    const path = { chain: "bsc", token: otherToken } as const;
    await expect(list(otherToken, {}, { path })).rejects.toMatchObject({
      code: "UNSUPPORTED_CHAIN",
      details: { chains: ["eth", "base", "sol"] },
    });
  });
});
