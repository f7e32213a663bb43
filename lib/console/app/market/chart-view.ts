import type { IChartApi, IPanePrimitive, ISeriesApi, Time, UTCTimestamp } from "lightweight-charts";

/** Positions in a chart, in pixels from its upper left corner. */
export type ChartView = {
  /** Undefined if the time has no bar. */
  x: (time: number) => number | undefined;
  y: (price: number) => number | undefined;
  priceAt: (y: number) => number | undefined;
  /** Size of the part that shows prices, without the scales. */
  width: () => number;
  height: () => number;
  /** Distance between two bars. */
  barPixels: () => number;
};

export function viewOf(chart: IChartApi, series: ISeriesApi<"Candlestick" | "Area">): ChartView {
  return {
    x: (time) => chart.timeScale().timeToCoordinate(time as UTCTimestamp) ?? undefined,
    y: (price) => series.priceToCoordinate(price) ?? undefined,
    priceAt: (y) => series.coordinateToPrice(y) ?? undefined,
    width: () => chart.timeScale().width(),
    height: () => chart.panes()[0]?.getHeight() ?? 0,
    barPixels: () => chart.timeScale().options().barSpacing,
  };
}

/** Calls back whenever the chart has been drawn, in the same frame, so that elements above it move with it. */
export const drawWatcher = (onDraw: () => void): IPanePrimitive<Time> => ({
  paneViews: () => [{ renderer: () => ({ draw: onDraw }) }],
});
