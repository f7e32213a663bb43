import { useState } from "preact/hooks";
import type { Order } from "trading-terminal-client";
import { Choice, Panel } from "./controls.tsx";
import type { Bar, Mark } from "./market/bars.ts";
import { CandleChart, type ChartKind } from "./market/candle-chart.tsx";
import { linesOf } from "./market/order-lines.ts";

const startTime = Date.parse("2026-11-26T10:00:00Z") / 1000;
const token = "0x5409e03Dda8614EFE68ACFB5d2DaD1A351Cb5094";

const bars: Bar[] = Array.from({ length: 120 }, (_, minute) => {
  const [open, close] = [minute, minute + 1].map((at) => 0.0001 * (1 + 0.1 * Math.sin(at / 9))) as [
    number,
    number,
  ];
  const [low, high] = [Math.min(open, close) * 0.998, Math.max(open, close) * 1.002];
  return { time: startTime + minute * 60, open, high, low, close, volume: 1 + (minute % 7), hasGaps: false };
});

/** Fills in neighbouring bars, and several in one bar: their labels would cover each other. */
const marks: Mark[] = [40, 41, 42, 70, 70, 70, 71, 110].map((minute, index) => ({
  time: startTime + minute * 60,
  at: new Date((startTime + minute * 60 + index) * 1000).toISOString(),
  side: index % 3 === 2 ? "sell" : "buy",
  text: `${index % 3 === 2 ? "Sold" : "Bought"} ${index + 1} MOON at 0.0001 ETH`,
}));

const resting = (orderId: string, change: Partial<Order>) =>
  ({
    orderId,
    chain: "eth",
    token,
    symbol: "MOON/ETH",
    baseSymbol: "MOON",
    quoteSymbol: "ETH",
    side: "sell",
    amount: "1000",
    status: "open",
    stage: "resting",
    expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
    ...change,
  }) as Order;

const orders = [
  resting("limit", { type: "limit", price: "0.000108" }),
  resting("near", { type: "limit", price: "0.00010801", amount: "20" }),
  resting("pair", { type: "oco", takeProfit: { price: "0.0002" }, stopLoss: { stopPrice: "0.000092" } }),
  resting("trailing", { type: "trailing_stop", trailing: { trailPercent: 5, stopPrice: "0.000095" } }),
];

/** Shows the chart with markers that lie close together and lines that can be moved. */
export function ChartStates() {
  const [kind, setKind] = useState<ChartKind>("candles");
  const [moved, setMoved] = useState("Nothing is moved.");
  return (
    <Panel title="Chart" area="charts">
      <Choice
        label="Chart"
        name="gallery-chart"
        value={kind}
        options={[
          ["candles", "Candles"],
          ["line", "Line"],
        ]}
        onPick={setKind}
      />
      <CandleChart
        title="MOON in ETH"
        kind={kind}
        bars={bars}
        marks={marks}
        entry={0.0001}
        rate={1}
        lines={linesOf(orders, { chain: "eth", token }, Date.now()).map((line) =>
          line.order.type === "trailing_stop" ? { ...line, lack: "the wallet holds none" } : line,
        )}
        onMove={({ order, part }, price) => setMoved(`${order.orderId} ${part} to ${price}`)}
      />
      <output>{moved}</output>
    </Panel>
  );
}
