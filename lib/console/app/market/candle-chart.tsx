import {
  CandlestickSeries,
  createSeriesMarkers,
  HistogramSeries,
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  type ISeriesMarkersPluginApi,
  type Time,
  type UTCTimestamp,
} from "lightweight-charts";
import { useEffect, useRef } from "preact/hooks";
import { type ChartColours, faded, openChart } from "../chart-frame.ts";
import { plainNumber } from "../format.ts";
import type { Bar, Mark } from "./bars.ts";

/** Number of bars that are visible at first. */
const barsInView = 90;

type Drawn = {
  chart: IChartApi;
  candles: ISeriesApi<"Candlestick">;
  volume: ISeriesApi<"Histogram">;
  marks: ISeriesMarkersPluginApi<Time>;
  colours: ChartColours;
  bars: readonly Bar[];
  line?: IPriceLine;
  repaint(): void;
};

type ChartProps = {
  /** Identifies the series. A different one starts a new chart. */
  title: string;
  bars: readonly Bar[];
  marks: readonly Mark[];
  /** Entry price of the open position. */
  entry: number | undefined;
};

const fiveDigits = (price: number) => plainNumber(Number(price.toPrecision(5)));

/** Draws candles with their volume. */
export function CandleChart({ title, bars, marks, entry }: ChartProps) {
  const element = useRef<HTMLDivElement>(null);
  const drawn = useRef<Drawn>(undefined);

  useEffect(() => {
    const paint = (_: IChartApi, colours: ChartColours) => {
      if (drawn.current === undefined) return;
      const { up, down } = colours;
      drawn.current.candles.applyOptions({
        upColor: up,
        downColor: down,
        wickUpColor: up,
        wickDownColor: down,
        borderVisible: false,
      });
      drawn.current.colours = colours;
      redraw(drawn.current, drawn.current.bars);
    };
    const { chart, repaint, close } = openChart(
      element.current as HTMLDivElement,
      { timeScale: { timeVisible: true, secondsVisible: false, rightOffset: 4 } },
      paint,
    );
    const candles = chart.addSeries(CandlestickSeries, {
      priceFormat: { type: "custom", formatter: fiveDigits, minMove: 1e-18, base: 1e18 },
    });
    const volume = chart.addSeries(HistogramSeries, {
      priceScaleId: "",
      lastValueVisible: false,
      priceLineVisible: false,
      priceFormat: { type: "volume" },
    });
    chart.priceScale("right").applyOptions({ scaleMargins: { top: 0.1, bottom: 0.28 } });
    volume.priceScale().applyOptions({ scaleMargins: { top: 0.8, bottom: 0 } });
    const colours = { line: "", up: "", down: "", warn: "" };
    drawn.current = {
      chart,
      candles,
      volume,
      marks: createSeriesMarkers(candles),
      colours,
      bars: [],
      repaint,
    };
    repaint();
    return () => {
      drawn.current = undefined;
      close();
    };
  }, [title]);

  useEffect(() => {
    if (drawn.current !== undefined) show(drawn.current, bars);
  }, [title, bars]);

  useEffect(() => {
    const { current } = drawn;
    if (current === undefined) return;
    const { up, down } = current.colours;
    const first = bars[0]?.time ?? Number.POSITIVE_INFINITY;
    current.marks.setMarkers(
      marks
        .filter(({ time }) => time >= first)
        .map(({ time, side, text }) => ({
          time: time as UTCTimestamp,
          position: side === "buy" ? "belowBar" : "aboveBar",
          shape: side === "buy" ? "arrowUp" : "arrowDown",
          color: side === "buy" ? up : down,
          text,
        })),
    );
  }, [title, marks, bars]);

  useEffect(() => {
    const { current } = drawn;
    if (current === undefined) return;
    if (current.line !== undefined) current.candles.removePriceLine(current.line);
    delete current.line;
    if (entry === undefined) return;
    const { line: color } = current.colours;
    current.line = current.candles.createPriceLine({ price: entry, title: "Entry", color, lineWidth: 1 });
  }, [title, entry]);

  return (
    <div
      ref={element}
      class="chart candles"
      role="img"
      aria-label={title}
      data-bars={bars.length}
      data-marks={marks.length}
      data-last={bars.at(-1)?.close}
    />
  );
}

const candleOf = ({ time, open, high, low, close, hasGaps }: Bar, { warn }: ChartColours) => ({
  time: time as UTCTimestamp,
  open,
  high,
  low,
  close,
  ...(hasGaps && { color: warn, wickColor: warn }),
});

/** A bar without a volume keeps its place empty. */
const volumeOf = ({ time, open, close, volume }: Bar, { up, down }: ChartColours) => ({
  time: time as UTCTimestamp,
  ...(volume !== undefined && { value: volume, color: faded(close < open ? down : up, 0.4) }),
});

function redraw(drawn: Drawn, bars: readonly Bar[]): void {
  drawn.candles.setData(bars.map((bar) => candleOf(bar, drawn.colours)));
  drawn.volume.setData(bars.map((bar) => volumeOf(bar, drawn.colours)));
}

const isSame = (a: Bar | undefined, b: Bar | undefined) => JSON.stringify(a) === JSON.stringify(b);

/** Draws all bars, or only the last bars if the earlier ones are unchanged. */
function show(drawn: Drawn, bars: readonly Bar[]): void {
  const { bars: before } = drawn;
  drawn.bars = bars;
  const kept = before.findIndex((bar, index) => !isSame(bar, bars[index]));
  const changed = kept < 0 ? before.length : kept;
  // The chart can change its last bar and add bars, but cannot remove one.
  const isTaken = changed < before.length && bars[changed]?.time !== before[changed]?.time;
  if (before.length === 0 || changed < before.length - 1 || isTaken) {
    redraw(drawn, bars);
    if (before.length === 0 && bars.length > 0)
      drawn.chart.timeScale().setVisibleLogicalRange({ from: bars.length - barsInView, to: bars.length + 4 });
    return;
  }
  for (const bar of bars.slice(changed)) {
    drawn.candles.update(candleOf(bar, drawn.colours));
    drawn.volume.update(volumeOf(bar, drawn.colours));
  }
}
