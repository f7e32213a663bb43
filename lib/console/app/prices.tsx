import { useRef, useState } from "preact/hooks";
import type { Price, TerminalState } from "trading-terminal-client";
import { Panel } from "./controls.tsx";
import { useDesk } from "./desk.ts";
import { isAddressOn } from "./explorers.ts";
import { usd } from "./format.ts";
import { loadedPart } from "./loaded-part.tsx";
import type { Point } from "./price-chart.tsx";

const LoadedChart = loadedPart("chart", "empty chart", async () => {
  const { PriceChart } = await import("./charts.ts");
  return PriceChart;
});

const mostPoints = 3600;

const noPrices: TerminalState["prices"] = {};

type History = ReadonlyMap<string, readonly Point[]>;

/** Adds new prices to each asset's history, with at most one point per second. */
function withPrices(history: History, prices: readonly Price[]): History {
  const next = new Map(history);
  for (const { symbol, price, asOf } of prices) {
    const points = next.get(symbol) ?? [];
    const point = { time: Math.floor(Date.parse(asOf) / 1000), value: Number(price) };
    const last = points.at(-1);
    if (last !== undefined && last.time > point.time) continue;
    if (last?.time === point.time && last.value === point.value) continue;
    const before = last?.time === point.time ? points.slice(0, -1) : points;
    next.set(symbol, [...before, point].slice(-mostPoints));
  }
  return next;
}

/** Selects one price per asset, because eth and base share theirs. */
const byAsset = (prices: readonly Price[]) => [
  ...new Map(prices.map((price) => [price.symbol, price])).values(),
];

/** Collects the prices of coins while the page is open. */
export function usePriceHistory(byChain: TerminalState["prices"] = noPrices): History {
  const history = useRef<History>(new Map());
  const seen = useRef(noPrices);
  if (seen.current !== byChain) {
    seen.current = byChain;
    history.current = withPrices(history.current, byAsset(Object.values(byChain)));
  }
  return history.current;
}

export function Prices({ history }: { history: History }) {
  const { state, ticket } = useDesk();
  const prices = byAsset(Object.values(state?.prices ?? noPrices));
  const [picked, setPicked] = useState<string>();
  // While a token is in the ticket, draws the charts of coins only on request, because the token has its own chart.
  const hasToken = isAddressOn(ticket.chain, ticket.token);
  const symbol = picked ?? (hasToken ? undefined : "ETH");

  const shown = prices.find((price) => price.symbol === symbol) ?? (hasToken ? undefined : prices[0]);
  const points = history.get(shown?.symbol ?? "") ?? [];
  return (
    <Panel
      title="Prices"
      area="prices"
      aside={prices[0] && <span class="quiet">in USD, {prices[0].source}</span>}
    >
      <fieldset class="tickers">
        <legend>Asset</legend>
        {prices.map((price) => (
          <Ticker
            key={price.symbol}
            price={price}
            points={history.get(price.symbol) ?? []}
            isShown={price === shown}
            onPick={() => setPicked(price.symbol)}
          />
        ))}
      </fieldset>
      {shown ? (
        <LoadedChart key={shown.symbol} symbol={shown.symbol} points={points} />
      ) : (
        prices.length === 0 && <p class="empty">Waiting for prices.</p>
      )}
    </Panel>
  );
}

type TickerProps = { price: Price; points: readonly Point[]; isShown: boolean; onPick: () => void };

function Ticker({ price: { symbol, price, asOf }, points, isShown, onPick }: TickerProps) {
  const value = Number(price);
  const first = points[0]?.value ?? value;
  const change = ((value - first) / first) * 100;
  const direction = change > 0 ? "up" : change < 0 ? "down" : "still";
  return (
    <label class="ticker" title={`As of ${asOf}. The change is since this page was opened.`}>
      <input type="radio" name="asset" checked={isShown} onChange={onPick} />
      <span class="symbol">{symbol}</span>
      <span class="value">{usd(value)}</span>
      <span class={direction}>
        {direction === "up" ? "▲" : direction === "down" ? "▼" : "•"} {Math.abs(change).toFixed(2)} %
      </span>
    </label>
  );
}
