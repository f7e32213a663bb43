import type { Network } from "trading-terminal-client";
import { minus, plus, product } from "../exact.ts";
import { coinOf } from "../format.ts";
import { dayAt, dayIn, dayMs, type Span, startOf } from "./calendar.ts";
import type { DayProfit } from "./profits.ts";

/** Profit of a day, a week or a month, in a chain's coin or in dollars. */
export type Period = {
  /** First day of the period, such as 2026-11-30. */
  start: string;
  fills: number;
  gross: string;
  fees: string;
  net: string;
  /** Net profit since the first period. */
  total: string;
};

/** Sums up days to the periods that have any, the earliest first. */
export function periodsOf(days: readonly Omit<DayProfit, "chain">[], span: Span): Period[] {
  const periods: Period[] = [];
  for (const { day, fills, gross, fees } of days) {
    const start = startOf(day, span);
    const net = minus(gross, fees);
    const last = periods.at(-1);
    const total = plus(last?.total ?? "0", net);
    if (last?.start !== start) periods.push({ start, fills, gross, fees, net, total });
    else
      periods[periods.length - 1] = {
        start,
        fills: last.fills + fills,
        gross: plus(last.gross, gross),
        fees: plus(last.fees, fees),
        net: plus(last.net, net),
        total,
      };
  }
  return periods;
}

/** Closing prices of coins in dollars, by the coin and the day. */
export type Closes = ReadonlyMap<string, string>;

/** Names the close of a chain's coin on the day of a time. */
export const closeKey = (chain: Network, time: string): string => `${coinOf[chain]} ${dayIn(time)}`;

/** Number of days for which a coin's close counts while no newer one is recorded. */
const closeDays = 7;

/** Returns the price of a chain's coin at the end of a day. Undefined if none is recorded of it and the days before. */
function closeOn(closes: Closes, chain: Network, day: string): string | undefined {
  for (let back = 0; back <= closeDays; back++) {
    const close = closes.get(closeKey(chain, dayAt(Date.parse(day) - back * dayMs)));
    if (close !== undefined) return close;
  }
  return undefined;
}

/**
 * Converts the profits of all chains to dollars, each by its coin's close of the day.
 *
 * @returns the days, and the number of those that are left out because no price is recorded
 */
export function inDollarsOf(
  days: readonly DayProfit[],
  closes: Closes,
): { days: DayProfit[]; unpriced: number } {
  const unpriced = new Set<string>();
  const priced = days.flatMap((profit) => {
    const close = closeOn(closes, profit.chain, profit.day);
    if (close !== undefined)
      return [{ ...profit, gross: product(profit.gross, close), fees: product(profit.fees, close) }];
    unpriced.add(profit.day);
    return [];
  });
  return { days: priced, unpriced: unpriced.size };
}
