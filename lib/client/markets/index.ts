export { isSameToken } from "../market-merge.ts";
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
export { compare, type Exact, exact, plus, textOf, times } from "./exact.ts";
export { type QuoteBasis, quoteBasis, quotePauseMs } from "./quote-pace.ts";
export { type Valuation, valuationOf as valueOf, type Worth } from "./value.ts";
