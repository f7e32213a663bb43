import fc from "fast-check";
import type { Candle, MarketMinute, MarketRecord } from "trading-terminal-client";
import {
  CandleSeries,
  type Currency,
  foldCandles,
  type Interval,
  intervalSeconds,
  minuteCandle,
} from "trading-terminal-client/markets";
import { describe, expect, it } from "vitest";
import { formatDecimal, parseDecimal } from "../../../lib/core/decimal.ts";
import type { Candle as StoredCandle } from "../../../lib/markets/core/candle.ts";
import { candleInCurrency, foldCandles as foldStored } from "../../../lib/markets/core/candles.ts";

const intervals = Object.keys(intervalSeconds) as Interval[];
const midnight = Date.parse("2026-11-21T00:00:00.000Z");
const iso = (minute: number) => new Date(midnight + minute * 60_000).toISOString();

const price = fc
  .tuple(fc.bigInt({ min: 1n, max: 10n ** 18n - 1n }), fc.integer({ min: 0, max: 18 }))
  .map(([digits, places]) => formatDecimal({ mantissa: digits, exponent: -places }) as `${number}`);

/** Generates minute candles at different times, oldest first. */
const minutesIn = (days: number) =>
  fc
    .uniqueArray(
      fc.record({
        at: fc.integer({ min: 0, max: days * 1440 - 1 }),
        prices: fc.tuple(price, price, price, price),
        sums: fc.option(fc.record({ volume: price, trades: fc.integer({ min: 1, max: 9 }) }), { freq: 9 }),
        coinUsd: price,
        isFinal: fc.boolean(),
      }),
      { selector: ({ at }) => at, minLength: 1, maxLength: 60 },
    )
    .map((all) =>
      all
        .toSorted((a, b) => a.at - b.at)
        .map(
          ({ at, prices: [open, high, low, close], sums, coinUsd, isFinal }): MarketMinute => ({
            time: iso(at),
            open,
            high,
            low,
            close,
            ...sums,
            coinUsd,
            ...(isFinal && { isFinal }),
          }),
        ),
    );

const stored = (minute: MarketMinute): StoredCandle => {
  const decimal = (text: string) => parseDecimal(text) ?? expect.fail("no decimal");
  return {
    start: Date.parse(minute.time) / 1000,
    open: decimal(minute.open),
    high: decimal(minute.high),
    low: decimal(minute.low),
    close: decimal(minute.close),
    ...(minute.volume !== undefined && { volume: decimal(minute.volume) }),
    ...(minute.trades !== undefined && { trades: minute.trades }),
    pool: { pool: "0x1", quote: "native" },
    isFinal: minute.isFinal ?? false,
    hasGaps: minute.hasGaps ?? false,
  };
};

/** Builds the service's response with a pool's minute candles, priced in coin. */
const listed = (minutes: readonly MarketMinute[], interval: Interval, currency: Currency): Candle[] => {
  const converted = minutes.flatMap(
    (minute) => candleInCurrency(stored(minute), currency, parseDecimal(minute.coinUsd ?? "")) ?? [],
  );
  const text = (value: StoredCandle["open"]) => formatDecimal(value) as `${number}`;
  return foldStored(converted, interval).map(
    ({ start, open, high, low, close, volume, trades, isFinal }) => ({
      time: new Date(start * 1000).toISOString(),
      open: text(open),
      high: text(high),
      low: text(low),
      close: text(close),
      ...(volume && { volume: text(volume) }),
      ...(trades !== undefined && { trades }),
      isFinal,
    }),
  );
};

describe("foldCandles", () => {
  it("folds and converts minute candles exactly like the service, to the last digit", () => {
    const options = fc.record({
      interval: fc.constantFrom(...intervals),
      currency: fc.constantFrom<Currency>("usd", "native"),
    });
    fc.assert(
      fc.property(minutesIn(3), options, (minutes, { interval, currency }) => {
        const mine = minutes.flatMap((minute) => minuteCandle(minute, currency) ?? []);
        expect(foldCandles(mine, interval)).toEqual(listed(minutes, interval, currency));
      }),
      { numRuns: 300 },
    );
  });

  it("marks gaps and omits minutes whose dollar price is unknown", () => {
    const minute: MarketMinute = {
      time: iso(0),
      open: "1",
      high: "2",
      low: "1",
      close: "2",
      volume: "3",
      trades: 1,
    };
    expect(minuteCandle(minute, "usd")).toBeUndefined();
    const gaps = [minute, { ...minute, time: iso(1), hasGaps: true as const, hasNewPool: true as const }];
    const folded = foldCandles(
      gaps.flatMap((each) => minuteCandle(each, "native") ?? []),
      "5m",
    );
    expect(folded).toMatchObject([{ hasGaps: true, hasNewPool: true, volume: "6", trades: 2 }]);
  });
});

const market = (minutes: MarketMinute[], revision = 0, block = 1): MarketRecord => ({
  chain: "eth",
  token: "0x1",
  flags: [],
  revision,
  block,
  asOf: iso(0),
  minutes,
});

const shownAt = (series: CandleSeries, minute: number) => series.candles(midnight + minute * 60_000, 1000);

describe("CandleSeries", () => {
  it("shows a program that starts late the same candles, whichever minute candles it has received", () => {
    const history = fc.record({
      interval: fc.constantFrom<Interval>("1m", "5m", "15m"),
      currency: fc.constantFrom<Currency>("usd", "native"),
      joinAt: fc.integer({ min: 0, max: 1440 }),
      repeats: fc.array(fc.nat({ max: 59 }), { maxLength: 20 }),
    });
    fc.assert(
      fc.property(minutesIn(1), history, (minutes, { interval, currency, joinAt, repeats }) => {
        const first = new CandleSeries({ interval, currency });
        first.addMinutes({ candles: [], revision: 0 }, midnight);
        for (const [index, minute] of minutes.entries()) first.addMarket(market([minute], 0, index));
        // Late and repeated messages change nothing.
        for (const index of repeats) {
          const minute = minutes[index];
          if (minute !== undefined) first.addMarket(market([{ ...minute, trades: 0 }], 0, 0));
          if (minute !== undefined) first.addMarket(market([minute], 0, index));
        }
        const late = new CandleSeries({ interval, currency });
        const isBefore = ({ time }: MarketMinute) => Date.parse(time) < midnight + joinAt * 60_000;
        const lengthMs = intervalSeconds[interval] * 1000;
        const joinedMs = midnight + joinAt * 60_000;
        const openMs = joinedMs - (joinedMs % lengthMs);
        const past = minutes.filter(isBefore);
        const current = past.filter(({ time }) => Date.parse(time) >= openMs);
        late.addHistory({ candles: listed(past, interval, currency), revision: 0 });
        late.addMinutes({ candles: listed(current, "1m", currency), revision: 0 }, openMs);
        const rest = minutes.filter((minute) => !isBefore(minute));
        for (const [index, minute] of rest.entries()) late.addMarket(market([minute], 0, 100 + index));
        // Both programs know that all minutes before a final minute are final.
        for (const series of [first, late])
          series.addMarket(market([minute(1440, "2", { isFinal: true })], 0, 999));
        expect(shownAt(late, 1442)).toEqual(shownAt(first, 1442));
      }),
      { numRuns: 200 },
    );
  });

  const minute = (at: number, close: `${number}`, more: Partial<MarketMinute> = {}): MarketMinute => ({
    time: iso(at),
    open: "1",
    high: "9",
    low: "1",
    close,
    volume: "1",
    trades: 1,
    coinUsd: "2000",
    ...more,
  });
  const closes = (series: CandleSeries, at = 100) => shownAt(series, at).map(({ close }) => close);

  it("prefers a minute candle with more swaps, a final one even to that, and a reorganised one to both", () => {
    const series = new CandleSeries({ interval: "1m", currency: "native" });
    series.addMinutes({ candles: [], revision: 0 }, midnight);
    const steps: [MarketRecord, string][] = [
      [market([minute(0, "2")], 0, 5), "2"],
      [market([minute(0, "3", { trades: 2 })], 0, 6), "3"],
      [market([minute(0, "4")], 0, 7), "3"],
      [market([minute(0, "5", { isFinal: true })], 0, 8), "5"],
      [market([minute(0, "6", { trades: 9 })], 0, 9), "5"],
      [market([minute(0, "7")], 1, 3), "7"],
    ];
    for (const [record, close] of steps) {
      series.addMarket(record);
      expect(closes(series)).toEqual([close]);
    }
  });

  it.each(["1m", "5m", "1h"] as const)(
    "omits a minute whose swaps were all reverted, at the interval %s",
    (interval) => {
      const series = new CandleSeries({ interval, currency: "usd" });
      const known = [minute(0, "2"), minute(1, "3")];
      const removed = (at: number) => minute(at, "1", { trades: 0 });
      const load = (minutes: MarketMinute[]) => {
        const [open] = listed(minutes, interval, "usd");
        if (open && interval !== "1m")
          series.addHistory({ candles: [{ ...open, partial: true }], revision: 0 });
        series.addMinutes({ candles: listed(minutes, "1m", "usd"), revision: 0 }, midnight);
      };
      load(known);
      series.addMarket(market([removed(1)], 1, 9));
      expect(closes(series)).toEqual(["4000"]);
      series.addMarket(market([removed(0)], 1, 9));
      expect(closes(series)).toEqual([]);
      // Adds the minutes from an older response of the service.
      load(known);
      expect(closes(series)).toEqual([]);
      series.addMarket(market([minute(1, "4")], 1, 10));
      expect(closes(series)).toEqual(["8000"]);
    },
  );

  it("removes a minute candle within the same revision only if a newer block reports it without trades", () => {
    const series = new CandleSeries({ interval: "1m", currency: "native" });
    series.addMinutes({ candles: [], revision: 0 }, midnight);
    series.addMarket(market([minute(0, "2", { trades: 3 })], 0, 5));
    series.addMarket(market([minute(0, "1", { trades: 0 })], 0, 4));
    expect(closes(series)).toEqual(["2"]);
    series.addMarket(market([minute(0, "1", { trades: 0 })], 0, 6));
    series.addMarket(market([minute(0, "2", { trades: 3 })], 0, 5));
    expect(closes(series)).toEqual([]);
  });

  it("shows the service's candle for an interval whose beginning it has missed", () => {
    const series = new CandleSeries({ interval: "5m", currency: "native" });
    series.addHistory({ candles: listed([minute(1, "2")], "5m", "native"), revision: 0 });
    series.addMinutes({ candles: [], revision: 0 }, midnight + 5 * 60_000);
    series.addMarket(market([minute(3, "3"), minute(6, "4")]));
    expect(closes(series)).toEqual(["2", "4"]);
  });

  it("keeps the new-pool mark that only the service knows", () => {
    const series = new CandleSeries({ interval: "5m", currency: "native" });
    const [open] = listed([minute(0, "2")], "5m", "native");
    if (open === undefined) return expect.fail("no candle");
    series.addHistory({ candles: [{ ...open, partial: true, hasNewPool: true }], revision: 0 });
    series.addMinutes({ candles: [], revision: 0 }, midnight);
    series.addMarket(market([minute(0, "2"), minute(1, "3")]));
    expect(shownAt(series, 100)).toMatchObject([{ close: "3", hasNewPool: true }]);
  });

  it("keeps a folded hour until the service returns the complete one", () => {
    const series = new CandleSeries({ interval: "1h", currency: "usd" });
    const [open] = listed([minute(0, "2")], "1h", "usd");
    if (open === undefined) return expect.fail("no candle");
    series.addHistory({ candles: [{ ...open, partial: true }], revision: 0 });
    series.addMinutes({ candles: [], revision: 0 }, midnight);
    series.addMarket(market([minute(0, "2"), minute(59, "3")]));
    expect(closes(series)).toEqual(["6000"]);
    series.addHistory({ candles: [{ ...open, close: "6001" }], revision: 0 });
    expect(closes(series)).toEqual(["6001"]);
  });

  it("marks an interval partial until it is over, and returns only the requested last intervals", () => {
    const series = new CandleSeries({ interval: "5m", currency: "native" });
    series.addMinutes({ candles: [], revision: 0 }, midnight);
    series.addMarket(market([minute(0, "2"), minute(6, "3"), minute(11, "4")]));
    expect(shownAt(series, 12).map(({ partial }) => partial)).toEqual([undefined, undefined, true]);
    expect(series.candles(midnight + 15 * 60_000, 2).map(({ close, partial }) => [close, partial])).toEqual([
      ["3", undefined],
      ["4", undefined],
    ]);
    series.clear();
    expect(closes(series)).toEqual([]);
  });

  it("marks an interval final only when its last minute or a later one is final, never by time alone", () => {
    const finals = (series: CandleSeries, at: number) => shownAt(series, at).map(({ isFinal }) => isFinal);
    const series = new CandleSeries({ interval: "5m", currency: "native" });
    series.addMinutes({ candles: [], revision: 0 }, midnight);
    series.addMarket(market([minute(1, "2", { isFinal: true })]));
    expect([2, 5, 1000].map((at) => finals(series, at))).toEqual([[false], [false], [false]]);
    series.addMarket(market([minute(6, "2"), minute(9, "3", { isFinal: true })], 0, 2));
    expect(finals(series, 10)).toEqual([true, false]);
    series.addMarket(market([minute(6, "2", { isFinal: true })], 0, 3));
    expect(finals(series, 9.9)).toEqual([true, false]);
    expect(finals(series, 10)).toEqual([true, true]);
  });

  it("accepts the service's final marks, except for intervals that are not over", () => {
    const series = new CandleSeries({ interval: "1h", currency: "native" });
    const [open] = listed([minute(0, "2", { isFinal: true })], "1h", "native");
    if (open === undefined) return expect.fail("no candle");
    series.addHistory({ candles: [open], revision: 0 });
    expect([59, 62].map((at) => shownAt(series, at)[0]?.isFinal)).toEqual([false, true]);
  });

  it("shows dollars to twelve digits, because both ways of deriving them agree to these", () => {
    const series = new CandleSeries({ interval: "1m", currency: "usd" });
    series.addMinutes({ candles: [], revision: 0 }, midnight);
    series.addMarket(market([minute(0, "0.333333333333333333", { coinUsd: "3" })]));
    expect(closes(series)).toEqual(["1"]);
  });
});
