import type { Candle, MarketMinute, MarketRecord, TerminalState } from "trading-terminal-client";
import { followCandles, type Interval, marketOf } from "trading-terminal-client/markets";
import { describe, expect, it } from "vitest";
import type { Clock } from "../../../lib/client/clock.ts";

const name = { chain: "eth", token: "0xAb" } as const;
const startMs = Date.parse("2026-11-21T12:02:30.000Z");

const prices = (close: `${number}`) => ({ open: close, high: close, low: close, close });
const candle = (time: string, close: `${number}`): Candle => ({
  time,
  ...prices(close),
  volume: "1",
  trades: 1,
  isFinal: true,
});
const minute = (time: string, close: `${number}`): MarketMinute => ({
  time,
  ...prices(close),
  volume: "1",
  trades: 1,
  coinUsd: "1",
});

/** Fakes a service with scripted lists of candles and a stream whose states the test sets. */
function charted(
  answers: Record<string, Candle[]>,
  interval: Interval = "5m",
  { history = "complete", fromMs = startMs } = {},
) {
  let nowMs = fromMs;
  let failures = 0;
  let see: ((state: TerminalState) => unknown) | undefined;
  const asked: { interval: string; from?: string; to?: string }[] = [];
  const added: unknown[] = [];
  const shown: string[][] = [];
  const finals: boolean[][] = [];
  const errors: string[] = [];
  const closed: string[] = [];
  const service = { history };
  const terminal = {
    listCandles: async ({ query }: { query: { interval: string; from?: string; to?: string } }) => {
      asked.push(query);
      if (failures-- > 0) return { error: { code: "CHAIN_UNAVAILABLE" } };
      return { data: { candles: answers[query.interval] ?? [], revision: 0, history: service.history } };
    },
  };
  const stream = {
    addTokens: (tokens: unknown) => added.push(tokens),
    until: (find: typeof see, { signal }: { signal: AbortSignal }) =>
      new Promise((_, reject) => {
        see = find;
        signal.addEventListener("abort", () => reject(closed.push("closed")));
      }),
  };
  const clock = { dateMs: () => nowMs, random: () => 0 } as Clock;
  const chart = followCandles(
    terminal as never,
    stream as never,
    {
      ...name,
      interval,
      onCandles: (candles) => {
        shown.push(candles.map(({ close }) => close));
        finals.push(candles.map(({ isFinal }) => isFinal));
      },
      onError: ({ code }) => errors.push(code),
    },
    clock,
  );
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const show = async (minutes: MarketMinute[], afterMs = 1000) => {
    nowMs += afterMs;
    const record = { ...name, token: "0xab", flags: [], revision: 0, block: nowMs, minutes };
    see?.({ markets: [record as unknown as MarketRecord] } as unknown as TerminalState);
    await settle();
  };
  const fail = (times: number) => {
    failures = times;
  };
  return { chart, asked, added, shown, finals, errors, closed, service, show, settle, fail };
}

const [first, second] = ["2026-11-21T12:00:00.000Z", "2026-11-21T12:01:00.000Z"];

describe("followCandles", () => {
  it("folds the current candle from stored and streamed minute candles, and adds it to the past ones", async () => {
    const { chart, asked, added, shown, show, settle } = charted({
      "5m": [candle("2026-11-21T11:55:00.000Z", "1"), candle(first, "2")],
      "1m": [candle(first, "2")],
    });
    expect(added).toEqual([[{ ...name, candles: true }]]);
    await settle();
    expect(asked).toMatchObject([
      { interval: "5m", currency: "usd" },
      { interval: "1m", from: first },
    ]);
    await show([minute(second, "3")]);
    await show([minute(second, "3")]);
    expect(shown).toEqual([
      ["1", "2"],
      ["1", "3"],
      ["1", "3"],
    ]);
    expect(chart.candles.at(-1)).toMatchObject({ open: "2", close: "3", volume: "2", partial: true });
  });

  it("shows streamed minute candles that arrived before the service's response", async () => {
    const { shown, show } = charted({ "5m": [candle(first, "2")], "1m": [candle(first, "2")] });
    await show([minute(second, "3")]);
    expect(shown).toEqual([["3"]]);
  });

  it("loads the minute candles of a long interval in pages", async () => {
    const { asked, settle } = charted({}, "1d", { fromMs: Date.parse("2026-11-21T20:00:00.000Z") });
    await settle();
    const middle = "2026-11-21T16:40:00.000Z";
    expect(asked.slice(1)).toMatchObject([
      { from: "2026-11-21T00:00:00.000Z", to: middle },
      { from: middle },
    ]);
    expect(asked[2]).not.toHaveProperty("to");
    expect(asked).toHaveLength(3);
  });

  it("reloads candles after a silence, because minutes may have been missed", async () => {
    const { asked, show, settle } = charted({ "5m": [candle(first, "2")] });
    await settle();
    await show([], 15_000);
    expect(asked).toHaveLength(2);
    await show([], 21_000);
    expect(asked).toHaveLength(4);
  });

  it("marks no candle after a silence final until the missed minutes are loaded", async () => {
    const answers: Record<string, Candle[]> = { "1m": [candle(first, "2")] };
    const { finals, shown, show, settle } = charted(answers);
    await settle();
    answers["5m"] = [candle(first, "4")];
    answers["1m"] = [];
    await show([{ ...minute("2026-11-21T12:07:00.000Z", "5"), isFinal: true }], 330_000);
    expect(shown).toEqual([["2"], ["2", "5"], ["4", "5"]]);
    expect(finals).toEqual([[false], [false, false], [true, false]]);
  });

  it("reloads candles once an interval is stored, and while the service loads the last day", async () => {
    const { asked, service, show, settle } = charted({}, "5m", { history: "loading" });
    await settle();
    await show([], 9000);
    expect(asked).toHaveLength(2);
    service.history = "complete";
    await show([], 1000);
    expect(asked).toHaveLength(4);
    // The interval ends 140 seconds later, at 12:05:00, and is stored half a minute after that.
    for (let steps = 0; steps < 16; steps++) await show([], 10_000);
    expect(asked).toHaveLength(4);
    await show([], 10_000);
    expect(asked).toHaveLength(6);
  });

  it("reports errors of the service and tries again", async () => {
    const { asked, errors, shown, show, settle, fail } = charted({ "1m": [candle(first, "2")] }, "1m");
    await settle();
    fail(1);
    await show([], 30_000);
    expect([errors, asked.length]).toEqual([["CHAIN_UNAVAILABLE"], 2]);
    await show([], 5000);
    expect(asked).toHaveLength(2);
    await show([], 5000);
    expect(asked).toHaveLength(3);
    expect(shown.at(-1)).toEqual(["2"]);
  });

  it("shows nothing after it is closed, even if responses still arrive", async () => {
    const { chart, shown, closed, settle } = charted({ "5m": [candle(first, "2")] });
    chart.close();
    await settle();
    expect([shown, closed]).toEqual([[], ["closed"]]);
  });
});

describe("marketOf", () => {
  it("finds a token's market, ignoring the address's case on EVM chains", () => {
    const markets = [{ ...name }, { chain: "sol", token: "9Qr8" }];
    const state = { markets } as unknown as TerminalState;
    expect(marketOf(state, { chain: "eth", token: "0xAB" })).toBe(markets[0]);
    expect(marketOf(state, { chain: "base", token: "0xAb" })).toBeUndefined();
    expect(marketOf(state, { chain: "sol", token: "9qr8" })).toBeUndefined();
    expect(marketOf(state, { chain: "eth" })).toBeUndefined();
  });
});
