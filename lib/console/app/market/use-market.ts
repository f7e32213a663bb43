import { useEffect, useState } from "preact/hooks";
import type { Candle, Market, TokenName } from "trading-terminal-client";
import { type Currency, followCandles, type Interval } from "trading-terminal-client/markets";
import { useDesk, useReading } from "../desk.ts";
import { isAddressOn } from "../explorers.ts";
import { mostCandles } from "./bars.ts";

type Failure = { code: string; message: string };

/** Reads a token's market once, to have it before the stream delivers it, and for fields that the stream lacks. */
export function useRestMarket({ chain, token }: TokenName): { market?: Market; problem?: Failure } {
  const { terminal } = useDesk();
  const [read, setRead] = useState<{ of: string; market?: Market; problem?: Failure }>();
  const of = `${chain} ${token}`;
  useReading(
    (signal) => {
      if (!isAddressOn(chain, token)) return;
      void terminal.getMarket({ path: { chain, token }, signal }).then(({ data, error }) => {
        if (!signal.aborted) setRead(data ? { of, market: data.market } : { of, problem: error });
      });
    },
    [chain, token],
  );
  return read?.of === of ? read : {};
}

const hourMs = 3_600_000;
const dayHours = 24;

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

/**
 * Finds the first minute of the last day whose price is known, because a change over less than a day must not look like
 * one over a day. Undefined if the price was known a day ago, or until that is known.
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
        return data?.candles[0]?.time;
      }
      void (async () => {
        const from = await first({ interval: "1h", limit: dayHours + 1 });
        if (from === undefined || Date.now() - Date.parse(from) > dayHours * hourMs) return;
        const to = new Date(Date.parse(from) + hourMs).toISOString();
        const minute = (await first({ interval: "1m", limit: 60, from, to })) ?? from;
        if (!signal.aborted) setRead({ of, sinceMs: Date.parse(minute) });
      })();
    },
    [chain, token],
  );
  return read?.of === of ? read.sinceMs : undefined;
}
