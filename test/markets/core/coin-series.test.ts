import { describe, expect, it } from "vitest";
import { type Decimal, formatDecimal, parseDecimal } from "../../../lib/core/decimal.ts";
import { CoinSeries } from "../../../lib/markets/core/coin-series.ts";

const dollars = (text: string): Decimal => parseDecimal(text) as Decimal;
const text = (price: Decimal | undefined) => price && formatDecimal(price);
const start = 1_795_780_800;

function seriesOf(...prices: [seconds: number, usd: string, source?: string][]): CoinSeries {
  const series = new CoinSeries();
  for (const [seconds, usd, source = "coinbase"] of prices)
    series.add({ usd: dollars(usd), source }, start + seconds);
  return series;
}

describe("the price series of a coin", () => {
  it("opens each minute candle at the previous close, unless a minute is missing", () => {
    const series = seriesOf(
      [0, "2600"],
      [30, "2610"],
      [59, "2605"],
      [60, "2615"],
      [300, "2500", "uniswap-v3"],
    );
    const shown = series
      .ended(0, start + 400)
      .map(({ start: at, open, high, low, close, pool }) => [
        at - start,
        ...[open, high, low, close].map(text),
        pool.pool,
      ]);
    expect(shown).toEqual([
      [0, "2600", "2610", "2600", "2605", "coinbase"],
      [60, "2605", "2615", "2605", "2615", "coinbase"],
      [300, "2500", "2500", "2500", "2500", "uniswap-v3"],
    ]);
  });

  it("returns the candles of completed minutes, starting at a given time", () => {
    const series = seriesOf([0, "1"], [60, "2"], [120, "3"]);
    const starts = (from: number, time: number) =>
      series.ended(start + from, start + time).map((candle) => candle.start - start);
    expect(starts(0, 179)).toEqual([0, 60]);
    expect(starts(60, 180)).toEqual([60, 120]);
    expect(series.ended(0, start + 60)).toMatchObject([{ isFinal: true, hasGaps: false, trades: 0 }]);
  });

  it("returns the price at the end of a minute, up to an hour after the last known minute", () => {
    const series = seriesOf([0, "1"], [50, "2"], [130, "3"]);
    const at = (seconds: number) => text(series.usdAt(start + seconds));
    expect([at(-60), at(0), at(60), at(120), at(3720), at(3780)]).toEqual([
      undefined,
      "2",
      "2",
      "3",
      "3",
      undefined,
    ]);
  });

  it("continues the minute candles of the previous run", () => {
    const before = seriesOf([0, "5"], [10, "7"]);
    const series = new CoinSeries(before.ended(0, start + 60));
    series.add({ usd: dollars("6"), source: "kraken" }, start + 40);
    expect(text(series.ended(0, start + 60)[0]?.high)).toBe("7");
    expect(text(series.usdAt(start))).toBe("6");
  });
});
