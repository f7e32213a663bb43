import {
  AreaSeries,
  CandlestickSeries,
  HistogramSeries,
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  type UTCTimestamp,
} from "lightweight-charts";
import { useEffect, useRef, useState } from "preact/hooks";
import { type ChartColours, faded, openChart } from "../chart-frame.ts";
import { plainNumber } from "../format.ts";
import type { Bar, Mark } from "./bars.ts";
import { ChartOverlay, type OverlayHandle } from "./chart-overlay.tsx";
import { type ChartView, drawWatcher, viewOf } from "./chart-view.ts";
import type { OrderLine } from "./order-lines.ts";

/** Number of bars that are visible at first. */
const barsInView = 90;

export type ChartKind = "candles" | "line";

type Drawn = {
  chart: IChartApi;
  kind: ChartKind;
  prices: ISeriesApi<"Candlestick" | "Area">;
  volume: ISeriesApi<"Histogram">;
  colours: ChartColours;
  bars: readonly Bar[];
  entry?: IPriceLine;
};

export type ChartProps = {
  /** Identifies the series. A different one starts a new chart. */
  title: string;
  kind: ChartKind;
  bars: readonly Bar[];
  marks: readonly Mark[];
  /** Entry price of the open position. */
  entry: number | undefined;
  lines: readonly OrderLine[];
  /** Prices of the chart for one coin: its price in dollars, or 1. Undefined while unknown. */
  rate: number | undefined;
  /** Called when the user has dragged a line to another price in coin. */
  onMove: (line: OrderLine, price: string) => void;
};

const fiveDigits = (price: number) => plainNumber(Number(price.toPrecision(5)));

/** Draws candles or a line with the volume, the user's fills, and the lines of resting orders. */
export function CandleChart({ title, kind, bars, marks, entry, lines, rate, onMove }: ChartProps) {
  const element = useRef<HTMLDivElement>(null);
  const drawn = useRef<Drawn>(undefined);
  const overlay = useRef<OverlayHandle>(null);
  const [view, setView] = useState<ChartView>();

  useEffect(() => {
    const paint = (_: IChartApi, colours: ChartColours) => {
      if (drawn.current === undefined) return;
      drawn.current.prices.applyOptions(coloursOf(kind, colours));
      drawn.current.colours = colours;
      redraw(drawn.current, drawn.current.bars);
    };
    const { chart, repaint, close } = openChart(
      element.current as HTMLDivElement,
      { timeScale: { timeVisible: true, secondsVisible: false, rightOffset: 4 } },
      paint,
    );
    const priceFormat = { type: "custom", formatter: fiveDigits, minMove: 1e-18, base: 1e18 } as const;
    const prices =
      kind === "candles"
        ? chart.addSeries(CandlestickSeries, { priceFormat })
        : chart.addSeries(AreaSeries, { priceFormat, lineWidth: 2 });
    const volume = chart.addSeries(HistogramSeries, {
      priceScaleId: "",
      lastValueVisible: false,
      priceLineVisible: false,
      priceFormat: { type: "volume" },
    });
    chart.priceScale("right").applyOptions({ scaleMargins: { top: 0.1, bottom: 0.28 } });
    volume.priceScale().applyOptions({ scaleMargins: { top: 0.8, bottom: 0 } });
    chart.panes()[0]?.attachPrimitive(drawWatcher(() => overlay.current?.place()));
    const colours = { line: "", up: "", down: "", warn: "" };
    drawn.current = { chart, kind, prices, volume, colours, bars: [] };
    repaint();
    setView(viewOf(chart, prices));
    return () => {
      drawn.current = undefined;
      setView(undefined);
      close();
    };
  }, [title, kind]);

  useEffect(() => {
    if (drawn.current !== undefined) show(drawn.current, bars);
  }, [title, kind, bars]);

  useEffect(() => {
    const { current } = drawn;
    if (current === undefined) return;
    if (current.entry !== undefined) current.prices.removePriceLine(current.entry);
    delete current.entry;
    if (entry === undefined) return;
    const { line: color } = current.colours;
    current.entry = current.prices.createPriceLine({ price: entry, title: "Entry", color, lineWidth: 1 });
  }, [title, kind, entry]);

  return (
    <div class="chart-box">
      <div
        ref={element}
        class="chart candles"
        role="img"
        aria-label={title}
        data-bars={bars.length}
        data-marks={marks.length}
        data-last={bars.at(-1)?.close}
      />
      {view && (
        <ChartOverlay
          handle={overlay}
          view={view}
          bars={bars}
          marks={marks}
          lines={lines}
          rate={rate}
          onMove={onMove}
        />
      )}
    </div>
  );
}

const coloursOf = (kind: ChartKind, { line, up, down }: ChartColours) =>
  kind === "line"
    ? { lineColor: line, topColor: faded(line, 0.28), bottomColor: faded(line, 0) }
    : { upColor: up, downColor: down, wickUpColor: up, wickDownColor: down, borderVisible: false };

const pointOf = ({ time, open, high, low, close, hasGaps }: Bar, { kind, colours: { warn } }: Drawn) =>
  kind === "line"
    ? { time: time as UTCTimestamp, value: close, ...(hasGaps && { lineColor: warn }) }
    : {
        time: time as UTCTimestamp,
        open,
        high,
        low,
        close,
        ...(hasGaps && { color: warn, wickColor: warn }),
      };

/** A bar without a volume keeps its place empty. */
const volumeOf = ({ time, open, close, volume }: Bar, { colours: { up, down } }: Drawn) => ({
  time: time as UTCTimestamp,
  ...(volume !== undefined && { value: volume, color: faded(close < open ? down : up, 0.4) }),
});

function redraw(drawn: Drawn, bars: readonly Bar[]): void {
  drawn.prices.setData(bars.map((bar) => pointOf(bar, drawn)));
  drawn.volume.setData(bars.map((bar) => volumeOf(bar, drawn)));
}

const fields = ["time", "open", "high", "low", "close", "volume", "hasGaps"] as const;

const isSame = (a: Bar | undefined, b: Bar | undefined) =>
  a !== undefined && b !== undefined && fields.every((field) => a[field] === b[field]);

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
    drawn.prices.update(pointOf(bar, drawn));
    drawn.volume.update(volumeOf(bar, drawn));
  }
}
