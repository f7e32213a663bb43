import { useEffect, useId, useMemo, useState } from "preact/hooks";
import type { Market } from "trading-terminal-client";
import { type Currency, type Interval, intervalSeconds, marketOf } from "trading-terminal-client/markets";
import { Choice, Facts, Panel } from "../controls.tsx";
import { useDesk } from "../desk.ts";
import { ExploredLink } from "../explored-link.tsx";
import { isAddressOn } from "../explorers.ts";
import { amount, chainName, coinOf, percentText, shortened, shortUsd, usdText } from "../format.ts";
import { useEscape } from "../keyboard.tsx";
import { useNow } from "../ticket/fresh-quote.ts";
import { WatchButton } from "../watchlist.tsx";
import { barsOf, marksOf } from "./bars.ts";
import type { ChartKind } from "./candle-chart.tsx";
import {
  changeSpan,
  flagTexts,
  headAgeMs,
  isSilent,
  type KnownMarket,
  knownMarket,
  leastAge,
  mayPass,
  oldMs,
  shownFlags,
} from "./markets.ts";
import { MovableChart } from "./movable-chart.tsx";
import { entryOf } from "./totals.ts";
import { useCandles, useKnownSince, useRestMarket } from "./use-market.ts";

const kinds: readonly (readonly [ChartKind, string])[] = [
  ["candles", "Candles"],
  ["line", "Line"],
];

const intervals = (Object.keys(intervalSeconds) as Interval[]).map((name) => [name, name] as const);

/** Shows the market of the ticket's token: price, depth, chart and the age of this data. */
export function MarketPanel() {
  const { ticket, state } = useDesk();
  const { chain, token } = ticket;
  const whole = useWhole();
  const rest = useRestMarket({ chain, token });
  const sinceMs = useKnownSince({ chain, token });
  const shownAtMs = useMemo(() => Date.now(), [chain, token]);
  if (!isAddressOn(chain, token)) return null;
  const streamed = state && marketOf(state, { chain, token });
  const market = streamed ?? (rest.market && knownMarket(rest.market));
  const wait: Waiting = { answer: market ?? (rest.problem && { flags: [] }), shownAtMs };
  const symbol = streamed?.symbol ?? rest.market?.symbol ?? shortened(token);
  return (
    <Panel
      title={symbol}
      area={whole.isWhole ? "market whole" : "market"}
      aside={
        <>
          <WatchButton token={{ chain, token, symbol }} />
          <span class="badge">{chainName[chain]}</span>
          {market === undefined ? (
            <p class="quiet">{rest.problem?.message ?? <Wait {...wait}>Reading the market …</Wait>}</p>
          ) : (
            <MarketFacts
              market={market}
              chain={chain}
              sinceMs={sinceMs}
              shownAtMs={shownAtMs}
              cap={capOf(market, rest.market)}
            />
          )}
          <ExploredLink network={chain} kind="token" id={token} />
        </>
      }
    >
      <Chart symbol={symbol} market={market} wait={wait} whole={whole} />
    </Panel>
  );
}

type Waiting = {
  /** The market, or a refusal, which has no flags. Undefined while there is no answer. */
  answer: Pick<KnownMarket, "flags"> | undefined;
  /** Time from which on the page shows the market. */
  shownAtMs: number;
};

/** Says what the page waits for and, after some time, that no answer comes. */
function Wait({ answer, shownAtMs, children }: Waiting & { children: string }) {
  const { ticket, isOffline } = useDesk();
  const nowMs = useNow();
  if (!isSilent(answer, nowMs - shownAtMs)) return children;
  return `${isOffline ? "The service" : chainName[ticket.chain]} does not answer; trying again.`;
}

/** Lets the chart fill the screen, or at least the window where the browser has no full screen. Escape ends it. */
function useWhole() {
  const [isWhole, setWhole] = useState(false);
  useEffect(() => {
    const look = () => document.fullscreenElement === null && setWhole(false);
    document.addEventListener("fullscreenchange", look);
    return () => document.removeEventListener("fullscreenchange", look);
  }, []);
  useEscape(() => setWhole(false));
  function toggle() {
    // The whole page gets the screen, so that dialogs and notices stay in sight.
    if (!isWhole) document.documentElement.requestFullscreen?.().catch(() => {});
    else if (document.fullscreenElement !== null) void document.exitFullscreen();
    setWhole(!isWhole);
  }
  return { isWhole, toggle };
}

const direction = (change: number) => (change > 0 ? "up" : change < 0 ? "down" : "still");

/**
 * Computes the worth of all existing tokens in dollars, from the answer that has their number and the current price.
 */
function capOf({ priceUsd }: KnownMarket, read: Market | undefined): number | undefined {
  if (read?.fdvUsd === undefined) return undefined;
  const isMoved = priceUsd !== undefined && Number(read.priceUsd) > 0;
  return Number(read.fdvUsd) * (isMoved ? Number(priceUsd) / Number(read.priceUsd) : 1);
}

type FactsProps = {
  market: KnownMarket;
  chain: keyof typeof coinOf;
  cap: number | undefined;
  /** Time from which on the price is known. */
  sinceMs: number | undefined;
  /** Time from which on the page shows the market. */
  shownAtMs: number;
};

const meanings = {
  Depth: "Coins that a sale gets while it moves the price by at most 2 %",
  "24 h volume": "Sum of the trades in the market's pool",
  "Market cap": "Worth of all existing tokens",
  Age: "Age of the first trade that the service knows",
};

const Fact = ({ name, children }: { name: keyof typeof meanings; children: string }) => (
  <span>
    <small>{name}</small> {children}
  </span>
);

/** Explains the facts of a market to mouse, touch and keyboard. */
function Meanings() {
  const id = useId();
  return (
    <>
      <button type="button" class="plain" popovertarget={id} aria-label="What these numbers mean">
        ?
      </button>
      <div id={id} popover="auto" class="meanings">
        <Facts facts={Object.entries(meanings)} />
      </div>
    </>
  );
}

/** Shows the latest numbers of a market, with their age. */
function MarketFacts({ market, chain, cap, sinceMs, shownAtMs }: FactsProps) {
  const { state } = useDesk();
  const nowMs = useNow();
  const ageMs = headAgeMs(state, chain, nowMs) ?? nowMs - Date.parse(market.asOf);
  const { price, priceUsd, change24h, volume24h, quote, liquidity } = market;
  const flags = shownFlags(market.flags, nowMs - shownAtMs);
  const isStale = flags.includes("STALE");
  const coin = coinOf[chain];
  const age = leastAge(sinceMs, nowMs);
  return (
    <div class={isStale || ageMs > oldMs ? "market-facts old" : "market-facts"}>
      <p class="market-price">
        <strong>{price === undefined ? "–" : `${amount(price)} ${coin}`}</strong>{" "}
        {priceUsd !== undefined && <span class="quiet">{usdText(priceUsd)}</span>}{" "}
        {change24h !== undefined && (
          <span class={direction(change24h)}>
            {percentText(change24h)} {changeSpan(sinceMs, nowMs)}
          </span>
        )}
      </p>
      <div class="figures">
        {liquidity !== undefined && <Fact name="Depth">{`${amount(liquidity, 4)} ${coin}`}</Fact>}
        {volume24h !== undefined && (
          <Fact name="24 h volume">
            {`${amount(volume24h, 4)} ${quote === undefined || quote === "native" ? coin : "dollars"}`}
          </Fact>
        )}
        {cap !== undefined && <Fact name="Market cap">{shortUsd(cap)}</Fact>}
        {age !== undefined && <Fact name="Age">{age}</Fact>}
        <span class="quiet age">{ageText(ageMs)}</span>
        {flags.length > 0 && (
          <ul class="flags" aria-label="Warnings about the market">
            {flags.map((flag) => (
              <li key={flag} class="badge warn">
                {flagTexts[flag] ?? flag}
              </li>
            ))}
          </ul>
        )}
        <Meanings />
      </div>
    </div>
  );
}

function ageText(ageMs: number): string {
  const seconds = Math.floor(Math.max(0, ageMs) / 1000);
  if (seconds < 120) return `${seconds} s old`;
  return seconds < 7200 ? `${Math.floor(seconds / 60)} min old` : `${Math.floor(seconds / 3600)} h old`;
}

type ChartProps = {
  symbol: string;
  market: KnownMarket | undefined;
  wait: Waiting;
  whole: ReturnType<typeof useWhole>;
};

function Chart({ symbol, market, wait, whole }: ChartProps) {
  const { ticket, state, interval, pickInterval } = useDesk();
  const { chain, token } = ticket;
  const [kind, setKind] = useState<ChartKind>("candles");
  const [currency, setCurrency] = useState<Currency>("native");
  const { candles, isLoading, problem } = useCandles({ chain, token, interval, currency });
  const headMs = Date.now() - (headAgeMs(state, chain, Date.now()) ?? Number.POSITIVE_INFINITY);
  const newestHead = Number.isFinite(headMs) ? Math.floor(headMs / 60_000) : 0;

  const marks = useMemo(
    () => marksOf(state?.orders ?? [], { chain, token }, interval),
    [state?.orders, chain, token, interval],
  );
  const text = currency === "native" ? market?.price : market?.priceUsd;
  const price = text === undefined ? undefined : Number(text);
  const bars = useMemo(
    () => barsOf(candles, interval, { untilMs: newestHead * 60_000, price, marks }),
    [candles, interval, newestHead, price, marks],
  );
  const coin = coinOf[chain];
  const prices: Partial<Record<string, { price: string }>> = state?.prices ?? {};
  const inCoin = entryOf(state?.positions ?? [], { chain, token });
  const coinUsd = prices[chain]?.price;
  const rate = currency === "native" ? 1 : coinUsd === undefined ? undefined : Number(coinUsd);
  const unit = currency === "usd" ? "dollars" : coin;
  return (
    <>
      <div class="chart-choices">
        <Choice label="Interval" name="interval" value={interval} options={intervals} onPick={pickInterval} />
        <Choice label="Chart" name="chart" value={kind} options={kinds} onPick={setKind} />
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
        <button type="button" class="plain" aria-pressed={whole.isWhole} onClick={whole.toggle}>
          Full screen
        </button>
      </div>
      <MovableChart
        title={`${symbol} on ${chainName[chain]} in ${unit}, candles of ${interval}`}
        kind={kind}
        bars={bars}
        marks={marks}
        rate={rate}
        entry={(inCoin !== undefined && rate !== undefined && inCoin * rate) || undefined}
      >
        <p class="empty chart">
          {isLoading || (problem && mayPass(problem)) ? (
            <Wait {...wait}>{problem?.message ?? "Reading the last 24 hours …"}</Wait>
          ) : (
            (problem?.message ??
            "Nobody has traded in the market's pool yet. Candles appear with the first trade.")
          )}
        </p>
      </MovableChart>
    </>
  );
}
