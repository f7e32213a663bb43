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
  /** Dollars by default. */
  currency?: Currency;
  /** The most candles, up to 1000; 300 by default. */
  limit?: number;
  /**
   * Called with all candles, oldest first, as soon as they are known, and again with each change. `isLoading` is true while the
   * service still reads the token's last day.
   */
  onCandles: (candles: readonly Candle[], more: { isLoading: boolean }) => void;
  /** Called if the service does not list candles. The chart tries again. */
  onError?: (error: RestError<"listCandles">) => void;
};

export type Chart = {
  /** The last candles, oldest first. Empty until they are known. */
  readonly candles: readonly Candle[];
  /** Ends the chart. The stream still follows the token: `removeTokens` ends that. */
  close(): void;
};

/** The most candles that the service lists at once. */
const pageMinutes = 1000;

/** Updates come every ten seconds at least. After a longer silence, minutes may have been missed. */
const silenceMs = 20_000;

/** While the service still reads the token's last day, and after failures, the chart asks again. */
const askAgainMs = 10_000;

/** Hours are stored some seconds after their end. */
const storedAfterMs = 30_000;

/** The market of a token or of a position in a state. Undefined if it is not followed or not known yet. */
export const marketOf = (
  state: Pick<TerminalState, "markets">,
  { chain, token }: { chain: Network; token?: string | undefined },
): MarketRecord | undefined =>
  token === undefined ? undefined : state.markets.find((market) => isSameToken(market, { chain, token }));

/**
 * Follows the candles of a token: the past from the service, the present folded from the minutes of the stream, which needs the
 * channel `prices`. After a pause of the stream, it reads again what it may have missed.
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
  /** The minutes that the series has. */
  let known: ReadonlySet<MarketMinute> = new Set();
  let isLoaded = false;
  let isHistoryLoading = false;
  let isLoading = false;
  let seenMs = clock.dateMs();
  let loadAtMs = 0;
  /** End of the last silence, and the time from which the series was read. */
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

  /** True after a silence, until the missed candles have been read. */
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
    // Minutes of the stream that came meanwhile.
    if (market !== undefined) series.addMarket(market);
    readMs = nowMs;
    isLoaded = true;
    isHistoryLoading = history.history === "loading";
    const nextMs = startOf(nowMs, interval) + intervalSeconds[interval] * 1000;
    loadAtMs = isHistoryLoading
      ? clock.dateMs() + askAgainMs
      : // Spread, so that not all programs ask at once.
        nextMs + storedAfterMs * (1 + clock.random());
    show();
  }

  /** Undefined after an error. */
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
  // Ends with the stream, too.
  stream.until((state) => see(state), { signal }).catch(() => {});
  return {
    get candles() {
      return candles;
    },
    close: () => closing.abort(),
  };
}

/** Not yet final: a final minute would also mark earlier minutes final, and some of them may be missing. */
const notFinal = ({ isFinal: _, ...minute }: MarketMinute): MarketMinute => minute;

const iso = (ms: number) => new Date(ms).toISOString();
