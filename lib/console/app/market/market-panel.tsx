import { useMemo, useState } from "preact/hooks";
import { type Currency, type Interval, intervalSeconds, marketOf } from "trading-terminal-client/markets";
import { Choice, Panel } from "../controls.tsx";
import { useDesk } from "../desk.ts";
import { isAddressOn } from "../explorers.ts";
import { amount, chainName, coinOf, percentText, shortened, usdText } from "../format.ts";
import { useNow } from "../ticket/fresh-quote.ts";
import { barsOf, marksOf } from "./bars.ts";
import { CandleChart } from "./candle-chart.tsx";
import { flagTexts, headAgeMs, type KnownMarket, knownMarket, oldMs } from "./markets.ts";
import { entryOf } from "./totals.ts";
import { useCandles, useRestMarket } from "./use-market.ts";

const intervals = (Object.keys(intervalSeconds) as Interval[]).map((name) => [name, name] as const);

/** Shows the market of the ticket's token: price, depth, chart and the age of this data. */
export function MarketPanel() {
  const { ticket, state } = useDesk();
  const { chain, token } = ticket;
  const rest = useRestMarket({ chain, token });
  if (!isAddressOn(chain, token)) return null;
  const streamed = state && marketOf(state, { chain, token });
  const market = streamed ?? (rest.market && knownMarket(rest.market));
  const symbol = streamed?.symbol ?? rest.market?.symbol ?? shortened(token);
  return (
    <Panel title={symbol} area="market" aside={<span class="quiet">{chainName[chain]}</span>}>
      {market === undefined ? (
        <p class="empty">{rest.problem?.message ?? "Reading the market …"}</p>
      ) : (
        <MarketFacts market={market} chain={chain} />
      )}
      <Chart symbol={symbol} />
    </Panel>
  );
}

const direction = (change: number) => (change > 0 ? "up" : change < 0 ? "down" : "still");

type FactsProps = { market: KnownMarket; chain: keyof typeof coinOf };

/** Shows the latest numbers of a market, with their age. */
export function MarketFacts({ market, chain }: FactsProps) {
  const { state } = useDesk();
  const nowMs = useNow();
  const ageMs = headAgeMs(state, chain, nowMs) ?? nowMs - Date.parse(market.asOf);
  const { price, priceUsd, change24h, volume24h, quote, liquidity, flags } = market;
  const isStale = flags.includes("STALE");
  const coin = coinOf[chain];
  return (
    <div class={isStale || ageMs > oldMs ? "market-facts old" : "market-facts"}>
      <p class="market-price">
        <strong>{price === undefined ? "–" : `${amount(price)} ${coin}`}</strong>{" "}
        {priceUsd !== undefined && <span class="quiet">{usdText(priceUsd)}</span>}{" "}
        {change24h !== undefined && (
          <span class={direction(change24h)}>{percentText(change24h)} in 24 h</span>
        )}
      </p>
      <p class="quiet">
        {liquidity !== undefined && (
          <span title="Coins that a sale gets while it moves the price by at most 2 %">
            Depth {amount(liquidity, 4)} {coin} ·{" "}
          </span>
        )}
        {volume24h !== undefined && (
          <span>
            24 h volume {amount(volume24h, 4)} {quote === undefined || quote === "native" ? coin : "dollars"}{" "}
            ·{" "}
          </span>
        )}
        <span class="age">{ageText(ageMs)}</span>
      </p>
      {flags.length > 0 && (
        <ul class="flags" aria-label="Warnings about the market">
          {flags.map((flag) => (
            <li key={flag} class="badge warn">
              {flagTexts[flag] ?? flag}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function ageText(ageMs: number): string {
  const seconds = Math.floor(Math.max(0, ageMs) / 1000);
  if (seconds < 120) return `${seconds} s old`;
  return seconds < 7200 ? `${Math.floor(seconds / 60)} min old` : `${Math.floor(seconds / 3600)} h old`;
}

function Chart({ symbol }: { symbol: string }) {
  const { ticket, state } = useDesk();
  const { chain, token } = ticket;
  const [interval, setInterval] = useState<Interval>("1m");
  const [currency, setCurrency] = useState<Currency>("native");
  const { candles, isLoading, problem } = useCandles({ chain, token, interval, currency });
  const headMs = Date.now() - (headAgeMs(state, chain, Date.now()) ?? Number.POSITIVE_INFINITY);
  const newestHead = Number.isFinite(headMs) ? Math.floor(headMs / 60_000) : 0;

  const bars = useMemo(() => barsOf(candles, interval, newestHead * 60_000), [candles, interval, newestHead]);
  const marks = useMemo(
    () => marksOf(state?.orders ?? [], { chain, token }, interval),
    [state?.orders, chain, token, interval],
  );
  const coin = coinOf[chain];
  const prices: Partial<Record<string, { price: string }>> = state?.prices ?? {};
  const inCoin = entryOf(state?.positions ?? [], { chain, token });
  const coinUsd = prices[chain]?.price;
  const entry = inCoin === undefined || currency === "native" ? inCoin : coinUsd && inCoin * Number(coinUsd);
  const unit = currency === "usd" ? "dollars" : coin;
  return (
    <>
      <div class="chart-choices">
        <Choice label="Interval" name="interval" value={interval} options={intervals} onPick={setInterval} />
        <Choice
          label="Currency"
          name="currency"
          value={currency}
          options={[
            ["native", coin],
            ["usd", "USD"],
          ]}
          onPick={setCurrency}
        />
      </div>
      {bars.length === 0 ? (
        <p class="empty chart">
          {problem?.message ??
            (isLoading
              ? "Reading the last 24 hours …"
              : "Nobody has traded this token yet. Candles appear with the first trade.")}
        </p>
      ) : (
        <CandleChart
          title={`${symbol} on ${chainName[chain]} in ${unit}, candles of ${interval}`}
          {...{ bars, marks }}
          entry={entry || undefined}
        />
      )}
    </>
  );
}
