import { epochSeconds } from "../core/time.ts";
import type { Table } from "../table/table.ts";
import { closeAt, intervalStart } from "./core/candles.ts";
import { summedUp } from "./core/day-window.ts";
import type { DayStatistics, TokenName } from "./core/market.ts";
import { storedCandles } from "./stored-candles.ts";

const daySeconds = 86_400;
const hourSeconds = 3600;
const minuteSeconds = 60;

/** Sums up the stored candles of the last 24 hours, in a quote. Minutes are stored a few seconds after they end. */
export async function storedDay(
  table: Table,
  name: TokenName,
  { quote, now }: { quote: string; now: Date },
): Promise<DayStatistics> {
  const time = epochSeconds(now);
  const to = intervalStart(time, "1m") + minuteSeconds;
  const from = to - daySeconds;
  const firstWhole = intervalStart(from, "1h") + hourSeconds;
  // Only the first hour may begin before the day.
  const [first, rest] = await Promise.all([
    storedCandles(table, name, {
      kind: "minutes",
      range: { from: intervalStart(from - minuteSeconds, "1h"), to: firstWhole },
      now: time,
    }),
    storedCandles(table, name, { kind: "hours", range: { from: firstWhole, to }, now: time }),
  ]);
  const candles = [...first.candles, ...rest.candles]
    .map(({ candle }) => candle)
    .filter(({ pool }) => pool.quote === quote);
  return summedUp(
    candles.filter(({ start }) => start >= from),
    (secondsAgo) => closeAt(candles, to - secondsAgo - minuteSeconds),
  );
}
