import { useEffect, useState } from "preact/hooks";
import type { Candle, Market, TokenName } from "trading-terminal-client";
import { type Currency, followCandles, type Interval } from "trading-terminal-client/markets";
import { useDesk, useReading } from "../desk.ts";
import { isAddressOn } from "../explorers.ts";
import { mostCandles } from "./bars.ts";
import { mayPass } from "./markets.ts";

type Failure = { status: number; code: string; message: string };

/** Pause in milliseconds before a market that had no answer is read again. */
const askAgainMs = 5000;

/**
 * Reads a token's market once, to have it before the stream delivers it, and for fields that the stream lacks. Tries
 * again until there is an answer.
 */
export function useRestMarket({ chain, token }: TokenName): { market?: Market; problem?: Failure } {
  const { terminal } = useDesk();
  const [read, setRead] = useState<{ of: string; market?: Market; problem?: Failure }>();
  const [tries, setTries] = useState(0);
  const of = `${chain} ${token}`;
  useReading(
    (signal) => {
      if (!isAddressOn(chain, token)) return;
      void terminal.getMarket({ path: { chain, token }, signal }).then(({ data, error }) => {
        if (signal.aborted) return;
        if (data) setRead({ of, market: data.market });
        else if (!mayPass(error)) setRead({ of, problem: error });
        else setTimeout(() => signal.aborted || setTries(tries + 1), askAgainMs);
      });
    },
    [chain, token, tries],
  );
  return read?.of === of ? read : {};
}

type Asked = TokenName & { interval: Interval; currency: Currency };

type Read = { of: string; candles: readonly Candle[]; isLoading: boolean; problem?: Failure };

/** Follows the candles of a token while the page shows them. */
export function useCandles({ chain, token, interval, currency }: Asked): Omit<Read, "of"> {
  const { terminal, stream } = useDesk();
  const [read, setRead] = useState<Read>();
  const of = [chain, token, interval, currency].join();
  useEffect(() => {
    if (stream === undefined || !isAddressOn(chain, token)) return;
    const chart = followCandles(terminal, stream, {
      chain,
      token,
      interval,
      currency,
      limit: mostCandles,
      onCandles: (candles, { isLoading }) => setRead({ of, candles, isLoading }),
      onError: (problem) => setRead({ of, candles: chart.candles, isLoading: false, problem }),
    });
    return () => chart.close();
  }, [terminal, stream, of]);
  return read?.of === of ? read : { candles: [], isLoading: true };
}

const hourMs = 3_600_000;
const dayHours = 24;
const dayMs = dayHours * hourMs;

/** Days back to which the first trade is looked for. */
const mostDays = 100;

/**
 * Finds the time from which on a token has a price. A change over less than a day must not look like one over a day,
 * and the token is at least that old. Undefined if no price is known.
 */
export function useKnownSince({ chain, token }: TokenName): number | undefined {
  const { terminal } = useDesk();
  const [read, setRead] = useState<{ of: string; sinceMs: number }>();
  const of = `${chain} ${token}`;
  useReading(
    (signal) => {
      if (!isAddressOn(chain, token)) return;
      async function first(query: { interval: Interval; limit: number; from?: string; to?: string }) {
        const asked = { path: { chain, token }, query: { ...query, currency: "quote" as const }, signal };
        const { data } = await terminal.listCandles(asked);
        const [candle] = data?.candles ?? [];
        return candle && Date.parse(candle.time);
      }
      async function find() {
        const day = await first({ interval: "1d", limit: mostDays });
        // Somebody traded within that day, so the end of it is certain.
        if (day === undefined || Date.now() - day >= 2 * dayMs) return day && day + dayMs;
        const hour = await first({ interval: "1h", limit: 2 * dayHours });
        if (hour === undefined) return undefined;
        const [from, to] = [hour, hour + hourMs].map((ms) => new Date(ms).toISOString()) as [string, string];
        return (await first({ interval: "1m", limit: 60, from, to })) ?? hour + hourMs;
      }
      void find().then((sinceMs) => {
        if (sinceMs !== undefined && !signal.aborted) setRead({ of, sinceMs });
      });
    },
    [chain, token],
  );
  return read?.of === of ? read.sinceMs : undefined;
}
