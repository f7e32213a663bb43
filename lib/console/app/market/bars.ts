import type { Candle, Order, TokenName } from "trading-terminal-client";
import { type Interval, intervalSeconds, isSameToken } from "trading-terminal-client/markets";
import { amount } from "../format.ts";

/** A candle as the chart draws it. Times are in epoch seconds. */
export type Bar = {
  time: number;
  open: number;
  high: number;
  low: number;
  close: number;
  /** Undefined if the swaps have not been counted. */
  volume: number | undefined;
  hasGaps: boolean;
};

/** Maximum number of bars that the chart draws. */
const mostBars = 1500;

/**
 * Makes bars from candles, oldest first. An interval without swaps gets the previous close, because the price did not
 * change.
 *
 * @param untilMs Time up to which the market is known. Later bars are not drawn.
 */
export function barsOf(candles: readonly Candle[], interval: Interval, untilMs: number): Bar[] {
  const seconds = intervalSeconds[interval];
  const bars: Bar[] = [];
  function fill(end: number) {
    const last = bars.at(-1);
    if (last === undefined) return;
    const { close } = last;
    const first = Math.max(last.time + seconds, end - mostBars * seconds);
    for (let time = first; time < end; time += seconds)
      bars.push({ time, open: close, high: close, low: close, close, volume: 0, hasGaps: false });
  }
  for (const candle of candles) {
    const time = Date.parse(candle.time) / 1000;
    fill(time);
    const [open, high, low, close] = [candle.open, candle.high, candle.low, candle.close].map(Number) as [
      ...[number, number, number, number],
    ];
    const volume = candle.volume === undefined ? undefined : Number(candle.volume);
    bars.push({ time, open, high, low, close, volume, hasGaps: candle.hasGaps ?? false });
  }
  fill(Math.floor(untilMs / 1000 / seconds) * seconds + seconds);
  return bars.slice(-mostBars);
}

/** A fill of the user's own orders. */
export type Mark = { time: number; side: "buy" | "sell"; text: string };

/**
 * Marks the user's fills of a token, in order of time. A fill happens within seconds of its order, but the order
 * changes again when the fill is final. So each mark is placed at the order's time.
 */
export function marksOf(orders: readonly Order[], name: TokenName, interval: Interval): Mark[] {
  const seconds = intervalSeconds[interval];
  return orders
    .filter(({ chain, token, status }) => {
      const isFilled = status === "filled" || status === "partially_filled";
      return isFilled && token !== undefined && isSameToken({ chain, token }, name);
    })
    .map(({ side, filledAmount, receivedAmount, createdAt }) => {
      const time = Math.floor(Date.parse(createdAt) / 1000 / seconds) * seconds;
      const tokens = side === "buy" ? receivedAmount : filledAmount;
      return { time, side, text: `${side === "buy" ? "Bought" : "Sold"} ${amount(tokens, 4)}` };
    })
    .sort((a, b) => a.time - b.time);
}
