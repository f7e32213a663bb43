import { AreaSeries, type IChartApi, type ISeriesApi, type UTCTimestamp } from "lightweight-charts";
import { useEffect, useRef } from "preact/hooks";
import { type ChartColours, faded, openChart } from "./chart-frame.ts";
import { usd } from "./format.ts";

/** Up to this number of points, the chart shows all of them. */
const fittedPoints = 120;

/** A pause longer than this many seconds is a gap, in which the price is unknown. */
const gapSeconds = 40;

export type Point = { time: number; value: number };

const invisible = { lineColor: "transparent", topColor: "transparent", bottomColor: "transparent" };

/** Hides the line over a gap, because it would invent prices. */
const drawnPoint = ({ time, value }: Point, before: Point | undefined) => ({
  time: time as UTCTimestamp,
  value,
  ...(before !== undefined && time - before.time > gapSeconds && invisible),
});

type Drawn = { chart: IChartApi; series: ISeriesApi<"Area">; last: number };

/**
 * Draws the prices of an asset.
 *
 * @param points Prices with their times in seconds, oldest first
 */
export function PriceChart({ symbol, points }: { symbol: string; points: readonly Point[] }) {
  const element = useRef<HTMLDivElement>(null);
  const drawn = useRef<Drawn>(undefined);

  // Creates a new chart for each asset. Its points are added below.
  useEffect(() => {
    let series: ISeriesApi<"Area"> | undefined;
    const paint = (_: IChartApi, { line }: ChartColours) =>
      series?.applyOptions({ lineColor: line, topColor: faded(line, 0.28), bottomColor: faded(line, 0) });
    const { chart, repaint, close } = openChart(
      element.current as HTMLDivElement,
      {
        timeScale: { timeVisible: true, secondsVisible: true, rightOffset: 4 },
        rightPriceScale: { scaleMargins: { top: 0.15, bottom: 0.1 } },
      },
      paint,
    );
    series = chart.addSeries(AreaSeries, {
      lineWidth: 2,
      priceLineVisible: true,
      priceFormat: { type: "custom", formatter: usd, minMove: 0.0001 },
    });
    series.setData(points.map((point, index) => drawnPoint(point, points[index - 1])));
    repaint();
    drawn.current = { chart, series, last: points.at(-1)?.time ?? 0 };
    return close;
  }, [symbol]);

  useEffect(() => {
    const now = drawn.current;
    if (now === undefined) return;
    const isShort = points.length <= fittedPoints;
    for (const [index, point] of points.entries())
      if (point.time >= now.last) now.series.update(drawnPoint(point, points[index - 1]));
    if (isShort) now.chart.timeScale().fitContent();
    now.last = points.at(-1)?.time ?? now.last;
  }, [points]);

  return (
    <div ref={element} class="chart" role="img" aria-label={`${symbol} in USD since this page was opened`} />
  );
}
