export {
  CandleSeries,
  type Candles,
  type Currency,
  foldCandles,
  type Interval,
  intervalSeconds,
  minuteCandle,
} from "./candles.ts";
export { type Chart, type ChartOptions, followCandles, marketOf } from "./chart.ts";
export { type Valuation, valueOf, type Worth } from "./value.ts";
