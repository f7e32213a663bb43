/** Charts share one script, because most of it is the library that draws them. */
export { CandleChart } from "./market/candle-chart.tsx";
export { PriceChart } from "./price-chart.tsx";
