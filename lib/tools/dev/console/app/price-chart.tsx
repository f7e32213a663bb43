import {
  AreaSeries,
  ColorType,
  createChart,
  type IChartApi,
  type ISeriesApi,
  type UTCTimestamp,
} from "lightweight-charts";
import { useEffect, useRef } from "preact/hooks";

/** Up to this number, the chart shows all points. */
const fittedPoints = 120;

export type Point = { time: number; value: number };

const timed = ({ time, value }: Point) => ({ time: time as UTCTimestamp, value });

/** A canvas has no style sheet, so colours are read from an element. */
function paint(element: HTMLElement, chart: IChartApi, series: ISeriesApi<"Area">) {
  const style = getComputedStyle(element);
  const { color: line, borderTopColor: grid, outlineColor: text } = style;
  chart.applyOptions({
    layout: { background: { type: ColorType.Solid, color: "transparent" }, textColor: text },
    grid: { vertLines: { color: grid }, horzLines: { color: grid } },
    timeScale: { borderColor: grid },
    rightPriceScale: { borderColor: grid },
  });
  const faded = (share: number) => line.replace("rgb(", "rgba(").replace(")", `, ${share})`);
  series.applyOptions({ lineColor: line, topColor: faded(0.28), bottomColor: faded(0) });
}

/**
 * Draws the prices of an asset.
 *
 * @param points Oldest first, in seconds
 */
export function PriceChart({ symbol, points }: { symbol: string; points: readonly Point[] }) {
  const element = useRef<HTMLDivElement>(null);
  const drawn = useRef<{ chart: IChartApi; series: ISeriesApi<"Area">; last: number }>(undefined);

  // Each asset gets its own chart; its points are added below.
  useEffect(() => {
    const container = element.current as HTMLDivElement;
    const chart = createChart(container, {
      autoSize: true,
      // The chart's logo would add a style sheet to the page. The footer has the link instead.
      layout: { attributionLogo: false, fontSize: 11 },
      timeScale: { timeVisible: true, secondsVisible: true, rightOffset: 4 },
      rightPriceScale: { scaleMargins: { top: 0.15, bottom: 0.1 } },
      localization: { locale: "en" },
      handleScroll: { vertTouchDrag: false },
    });
    const series = chart.addSeries(AreaSeries, { lineWidth: 2, priceLineVisible: true });
    series.setData(points.map(timed));
    paint(container, chart, series);
    drawn.current = { chart, series, last: points.at(-1)?.time ?? 0 };
    const repaint = () => paint(container, chart, series);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", repaint);
    addEventListener("themechange", repaint);
    return () => {
      scheme.removeEventListener("change", repaint);
      removeEventListener("themechange", repaint);
      chart.remove();
    };
  }, [symbol]);

  useEffect(() => {
    const now = drawn.current;
    if (now === undefined) return;
    const isShort = points.length <= fittedPoints;
    for (const point of points.filter(({ time }) => time >= now.last)) now.series.update(timed(point));
    if (isShort) now.chart.timeScale().fitContent();
    now.last = points.at(-1)?.time ?? now.last;
  }, [points]);

  return (
    <div ref={element} class="chart" role="img" aria-label={`${symbol} in USD since this page was opened`} />
  );
}
