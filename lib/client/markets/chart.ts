import { type Clock, callBack, realClock } from "../clock.ts";
import { isSameToken } from "../market-merge.ts";
import type { RestCalls } from "../methods.ts";
import type { RestData, RestError } from "../rest-types.ts";
import type {
  MarketMinute,
  MarketRecord,
  Network,
  Stream,
  TerminalState,
  TokenName,
} from "../stream-types.ts";
import type { Candle } from "../types.ts";
import { CandleSeries, type Currency, type Interval, intervalSeconds, startOf } from "./candles.ts";

export type ChartOptions = TokenName & {
  interval: Interval;
  /** Currency of the prices, dollars by default. */
  currency?: Currency;
  /** Maximum number of candles in the chart, up to 1000. The default is 300. */
  limit?: number;
  /**
   * Called with all candles, oldest first, once they are known and after each change. `isLoading` is true while the
   * service still reads the token's last day.
   */
  onCandles: (candles: readonly Candle[], more: { isLoading: boolean }) => void;
  /** Called if the service fails to list candles. The chart then tries again. */
  onError?: (error: RestError<"listCandles">) => void;
};

export type Chart = {
  /** The chart's candles, oldest first. Empty until they are known. */
  readonly candles: readonly Candle[];
  /** Ends the chart. The stream still follows the token until `removeTokens` is called. */
  close(): void;
};

/** Maximum number of candles that one request can list. */
const pageMinutes = 1000;

/**
 * The service sends an update at least every ten seconds. During a longer silence, minute candles may have been missed.
 */
const silenceMs = 20_000;

/** Pause before the chart reads again, after a failure or while the service still reads the token's last day. */
const askAgainMs = 10_000;

/** The service stores the candles of an hour some seconds after the hour's end. */
const storedAfterMs = 30_000;

/**
 * Finds the market of a token or a position in a state. Returns undefined if the token is not followed or its market
 * not known yet.
 */
export const marketOf = (
  state: Pick<TerminalState, "markets">,
  { chain, token }: { chain: Network; token?: string | undefined },
): MarketRecord | undefined =>
  token === undefined ? undefined : state.markets.find((market) => isSameToken(market, { chain, token }));

/**
 * Follows the candles of a token. Past candles come from the service, and the newest are folded from the stream's minute
 * candles, which need the channel `prices`. After a pause of the stream, reads again what may have been missed.
 *
 * @example
 * const chart = followCandles(terminal, stream, {
 *   ...{ chain: "eth", token, interval: "5m", currency: "usd" },
 *   onCandles: (candles) => draw(candles),
 * });
 */
export function followCandles(
  terminal: Pick<RestCalls, "listCandles">,
  stream: Pick<Stream, "addTokens" | "until">,
  { chain, token, interval, currency = "usd", limit = 300, onCandles, onError }: ChartOptions,
  clock: Clock = realClock,
): Chart {
  const name = { chain, token };
  const closing = new AbortController();
  const { signal } = closing;
  const series = new CandleSeries({ interval, currency });
  let candles: readonly Candle[] = [];
  let market: MarketRecord | undefined;
  /** Minute candles that the series already has. */
  let known: ReadonlySet<MarketMinute> = new Set();
  let isLoaded = false;
  let isHistoryLoading = false;
  let isLoading = false;
  let seenMs = clock.dateMs();
  let loadAtMs = 0;
  /** Time at which the stream's last silence ended, and time at which the series was last read. */
  let [silentToMs, readMs] = [0, 0];

  function see(state: TerminalState): void {
    const nowMs = clock.dateMs();
    if (nowMs - seenMs > silenceMs) loadAtMs = silentToMs = nowMs;
    seenMs = nowMs;
    const found = marketOf(state, name);
    const minutes = found?.minutes?.filter((minute) => !known.has(minute)) ?? [];
    known = new Set(found?.minutes);
    market = found;
    if (found !== undefined)
      series.addMarket({ ...found, minutes: hasMissed() ? minutes.map(notFinal) : minutes });
    if (nowMs >= loadAtMs && !isLoading) void load(nowMs);
    if (minutes.length > 0) show();
  }

  /** True after a silence of the stream, until the missed candles have been read. */
  const hasMissed = () => silentToMs > readMs;

  function show(): void {
    if (!isLoaded || signal.aborted) return;
    candles = series.candles(clock.dateMs(), limit);
    callBack(() => onCandles(candles, { isLoading: isHistoryLoading }));
  }

  async function load(nowMs: number): Promise<void> {
    isLoading = true;
    const read = await readCandles(nowMs);
    isLoading = false;
    if (signal.aborted) return;
    if (read === undefined) {
      loadAtMs = clock.dateMs() + askAgainMs;
      return;
    }
    const { history, minutes, fromMs } = read;
    series.clear();
    series.addHistory(history);
    if (minutes !== undefined) series.addMinutes(minutes, fromMs);
    // Adds minute candles that the stream delivered during the reading.
    if (market !== undefined) series.addMarket(market);
    readMs = nowMs;
    isLoaded = true;
    isHistoryLoading = history.history === "loading";
    const nextMs = startOf(nowMs, interval) + intervalSeconds[interval] * 1000;
    loadAtMs = isHistoryLoading
      ? clock.dateMs() + askAgainMs
      : // Waits a random time, to spread the requests of many programs.
        nextMs + storedAfterMs * (1 + clock.random());
    show();
  }

  /** Resolves to undefined after an error. */
  async function readCandles(nowMs: number) {
    const fromMs = startOf(nowMs, interval);
    const history = await list({ interval, limit });
    if (history === undefined || interval === "1m") return history && { history, fromMs };
    const minutes: RestData<"listCandles"> = { ...history, candles: [] };
    for (let startMs = fromMs; startMs <= nowMs; startMs += pageMinutes * 60_000) {
      const range = {
        from: iso(startMs),
        ...(startMs + pageMinutes * 60_000 < nowMs && { to: iso(startMs + pageMinutes * 60_000) }),
      };
      const page = await list({ interval: "1m", limit: pageMinutes, ...range });
      if (page === undefined) return undefined;
      minutes.candles.push(...page.candles);
      minutes.revision = page.revision;
    }
    return { history, minutes, fromMs };
  }

  async function list(query: { interval: Interval; limit: number; from?: string; to?: string }) {
    const { data, error } = await terminal.listCandles({ path: name, query: { ...query, currency }, signal });
    if (error && !signal.aborted) callBack(() => onError?.(error));
    return data;
  }

  stream.addTokens([{ ...name, candles: true }]);
  void load(seenMs);
  // Ends when the stream or the chart is closed.
  stream.until((state) => see(state), { signal }).catch(() => {});
  return {
    get candles() {
      return candles;
    },
    close: () => closing.abort(),
  };
}

/**
 * Removes the mark `isFinal`, because a final minute candle would also mark the earlier ones final, and some of them
 * may be missing.
 */
const notFinal = ({ isFinal: _, ...minute }: MarketMinute): MarketMinute => minute;

const iso = (ms: number) => new Date(ms).toISOString();
