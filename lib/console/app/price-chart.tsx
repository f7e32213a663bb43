import { AreaSeries, type IChartApi, type ISeriesApi, type UTCTimestamp } from "lightweight-charts";
import { useEffect, useRef } from "preact/hooks";
import { type ChartColours, faded, openChart } from "./chart-frame.ts";
import { usd } from "./format.ts";

/** Up to this number, the chart shows all points. */
const fittedPoints = 120;

/** After a longer pause, in seconds, nothing is known about the price in between. */
const gapSeconds = 40;

export type Point = { time: number; value: number };

const invisible = { lineColor: "transparent", topColor: "transparent", bottomColor: "transparent" };

/** A line over a gap would invent prices, so its end has no colour. */
const drawnPoint = ({ time, value }: Point, before: Point | undefined) => ({
  time: time as UTCTimestamp,
  value,
  ...(before !== undefined && time - before.time > gapSeconds && invisible),
});

type Drawn = { chart: IChartApi; series: ISeriesApi<"Area">; last: number };

/**
 * Draws the prices of an asset.
 *
 * @param points Oldest first, in seconds
 */
export function PriceChart({ symbol, points }: { symbol: string; points: readonly Point[] }) {
  const element = useRef<HTMLDivElement>(null);
  const drawn = useRef<Drawn>(undefined);

  // Each asset gets its own chart; its points are added below.
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
