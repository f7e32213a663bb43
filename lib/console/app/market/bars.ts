import type { Candle, Order, TokenName } from "trading-terminal-client";
import { type Interval, intervalSeconds, isSameToken } from "trading-terminal-client/markets";
import { amount, pairUnits } from "../format.ts";
import { shortSymbol } from "../ticket/sentence.ts";

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

/** Maximum number of candles in a chart. Older ones are not asked for. */
export const mostCandles = 500;

type Known = {
  /** Time up to which the market is known. */
  untilMs: number;
  /** Price of the market, in the currency of the candles. */
  price: number | undefined;
  /** The user's fills, the oldest first. */
  marks: readonly Pick<Mark, "time">[];
};

const flat = (time: number, price: number): Bar => ({
  time,
  open: price,
  high: price,
  low: price,
  close: price,
  volume: 0,
  hasGaps: false,
});

/**
 * Makes bars from candles, oldest first. An interval without swaps gets the previous close, because the price did not
 * change. Without swaps, the last interval gets the market's price, because another pool may have become its reference.
 * Each fill of the user has a bar, because it may be in a pool that has no candles.
 */
export function barsOf(
  candles: readonly Candle[],
  interval: Interval,
  { untilMs, price, marks }: Known,
): Bar[] {
  const seconds = intervalSeconds[interval];
  const bars: Bar[] = [];
  const known = Math.floor(untilMs / 1000 / seconds) * seconds;
  const last = Math.max(known, marks.at(-1)?.time ?? known);
  const [first] = candles;
  const before = first === undefined ? price : Number(first.open);
  const own = marks.find(({ time }) => time > last - mostCandles * seconds)?.time;
  if (own !== undefined && before !== undefined && own < (first ? Date.parse(first.time) / 1000 : Infinity))
    bars.push(flat(own, before));
  function fill(end: number) {
    const newest = bars.at(-1);
    if (newest === undefined) return;
    const from = Math.max(newest.time + seconds, end - mostBars * seconds);
    for (let time = from; time < end; time += seconds) bars.push(flat(time, newest.close));
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
  const traded = bars.length;
  fill(last + seconds);
  if (bars.length > traded && price !== undefined) bars.splice(-1, 1, flat(last, price));
  return bars.slice(-mostBars);
}

/** A fill of the user's own orders. */
export type Mark = {
  /** Start of its bar, in epoch seconds. */
  time: number;
  at: string;
  side: "buy" | "sell";
  /** Names the trade, with its price. */
  text: string;
};

/** Says what an order has bought or sold, and at what price. */
export function fillText(order: Order): string {
  const { side, filledAmount, receivedAmount, averagePrice } = order;
  const { base, quote } = pairUnits(order);
  const tokens = `${amount(side === "buy" ? receivedAmount : filledAmount, 4)} ${shortSymbol(base)}`;
  const price = averagePrice === undefined ? "" : ` at ${amount(averagePrice)} ${quote}`;
  return `${side === "buy" ? "Bought" : "Sold"} ${tokens}${price}`;
}

/**
 * Marks the user's fills of a token, in order of time. A fill happens within seconds of its order, but the order
 * changes again when the fill is final. So each mark is placed at the order's time. A resting order has a child for
 * each fill, which is marked in its place.
 */
export function marksOf(orders: readonly Order[], name: TokenName, interval: Interval): Mark[] {
  const seconds = intervalSeconds[interval];
  return orders
    .filter(({ chain, token, status, childOrderId }) => {
      const isFilled = status === "filled" || status === "partially_filled";
      const isOwn = token !== undefined && isSameToken({ chain, token }, name);
      return isFilled && isOwn && childOrderId === undefined;
    })
    .map((order) => {
      const { side, createdAt: at } = order;
      const time = Math.floor(Date.parse(at) / 1000 / seconds) * seconds;
      return { time, at, side, text: fillText(order) };
    })
    .sort((a, b) => (a.at < b.at ? -1 : 1));
}
