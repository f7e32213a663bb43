import { add, compare, type Decimal, divide, multiply, zero } from "../../core/decimal.ts";
import { type Candle, type CandlePool, type Interval, intervalSeconds, type SwapSums } from "./candle.ts";

/** A block in which a pool had swaps. */
export type SwapBlock = SwapSums & {
  block: number;
  /** Time of the block, in epoch seconds. */
  time: number;
  /** Price before the block's first swap. Undefined if the price is unknown. */
  before: Decimal | undefined;
  /** Price at the end of the block. Undefined if no price is known yet. */
  after: Decimal | undefined;
};

/** The fields of a pool's event that candles are made from. */
type PricedEvent = {
  block: number;
  time: number;
  /** Price after the event, in the quote of the pool. Undefined if the event does not show the price. */
  price?: Decimal | undefined;
  volume: Decimal;
  isSwap: boolean;
};

/**
 * Sums up a pool's events by block. Events must be in the order of the chain. A block with only changes of liquidity is
 * left out, but may move the price from which the next block starts.
 *
 * @param before The price before all events.
 */
export function swapBlocksOf(events: readonly PricedEvent[], before?: Decimal): SwapBlock[] {
  const blocks: (SwapBlock & Required<SwapSums>)[] = [];
  let price = before;
  let [atStart, current] = [price, -1];
  for (const { block, time, volume, isSwap, ...event } of events) {
    if (block !== current) [atStart, current] = [price, block];
    price = event.price ?? price;
    const last = blocks.at(-1)?.block === block ? blocks.at(-1) : undefined;
    if (last !== undefined) {
      last.after = price;
      if (isSwap) [last.volume, last.trades] = [add(last.volume, volume), last.trades + 1];
    } else if (isSwap) blocks.push({ block, time, before: atStart, after: price, volume, trades: 1 });
  }
  return blocks;
}

/**
 * Folds the blocks of a pool into candles, which cover the prices before and after each block. Leaves out blocks
 * without a price.
 */
export function candlesOf(
  blocks: readonly SwapBlock[],
  pool: CandlePool,
  interval: Interval = "1m",
): Candle[] {
  const single = blocks.flatMap(({ time, before, after, block: _, ...sums }): Candle[] => {
    if (after === undefined) return [];
    const open = before ?? after;
    const [low, high] = compare(open, after) < 0 ? [open, after] : [after, open];
    const start = intervalStart(time, interval);
    return [{ start, open, high, low, close: after, ...sums, pool, isFinal: false, hasGaps: false }];
  });
  return foldCandles(single, interval);
}

/** Returns the start of the interval that contains a time. Both are in epoch seconds. */
export const intervalStart = (time: number, interval: Interval): number =>
  time - (time % intervalSeconds[interval]);

/**
 * Folds candles, in the order of time, into longer intervals. Never mixes prices in different quotes: an interval has
 * one candle for each quote, unless all candles were converted to the same currency first.
 */
export function foldCandles(candles: readonly Candle[], interval: Interval): Candle[] {
  const folded: Candle[] = [];
  for (const candle of candles) {
    const start = intervalStart(candle.start, interval);
    const last = folded.at(-1);
    if (last?.start === start && last.pool.quote === candle.pool.quote)
      folded.push(joined(folded.pop() as Candle, candle));
    else folded.push({ ...candle, start });
  }
  return folded;
}

const joined = (first: Candle, next: Candle): Candle => ({
  start: first.start,
  open: first.open,
  high: compare(next.high, first.high) > 0 ? next.high : first.high,
  low: compare(next.low, first.low) < 0 ? next.low : first.low,
  close: next.close,
  ...sumOf(first, next),
  pool: next.pool,
  isFinal: first.isFinal && next.isFinal,
  hasGaps: first.hasGaps || next.hasGaps,
  ...((first.hasNewPool ?? next.hasNewPool) && { hasNewPool: true }),
});

/** Adds sums. If one is unknown, so is the total. */
export const sumOf = (first: SwapSums, next: SwapSums): SwapSums =>
  first.volume === undefined || next.volume === undefined
    ? {}
    : { volume: add(first.volume, next.volume), trades: (first.trades ?? 0) + (next.trades ?? 0) };

/**
 * Makes the candle of an interval whose swaps were all taken back. It replaces the earlier candle of this interval and
 * is not shown.
 */
export const withoutSwaps = (
  start: number,
  { pool, price }: { pool: CandlePool; price: Decimal },
): Candle => ({
  start,
  open: price,
  high: price,
  low: price,
  close: price,
  volume: zero,
  trades: 0,
  pool,
  isFinal: false,
  hasGaps: false,
});

/** Marks candles whose pool differs from the previous candle's. Candles must be in the order of time. */
export const withNewPools = (candles: readonly Candle[]): Candle[] =>
  candles.map((candle, index) => withNewPool(candle, candles[index - 1]?.pool));

/** Marks a candle if its pool differs from the previous candle's. */
export const withNewPool = (candle: Candle, before: CandlePool | undefined): Candle =>
  before === undefined || before.pool === candle.pool.pool ? candle : { ...candle, hasNewPool: true };

/** Currencies of candles: dollars, the chain's coin, or the quote of each candle's pool. */
export const currencies = ["usd", "native", "quote"] as const;

export type Currency = (typeof currencies)[number];

/**
 * Converts an amount between the quote of a pool and another currency. A stable token is worth a dollar. Undefined if
 * the conversion needs the coin's price in dollars and that price is unknown.
 */
export function inCurrency(
  amount: Decimal,
  quote: string,
  currency: Currency,
  coinUsd: Decimal | undefined,
): Decimal | undefined {
  const isCoin = quote === "native";
  if (currency === "quote" || isCoin === (currency === "native")) return amount;
  if (coinUsd === undefined || compare(coinUsd, zero) === 0) return undefined;
  return isCoin ? multiply(amount, coinUsd) : divide(amount, coinUsd);
}

/**
 * Converts a candle at the price that the coin had at the end of the interval. The currency becomes the candle's quote,
 * so that candles of several pools can be folded into one.
 */
export function candleInCurrency(
  candle: Candle,
  currency: Currency,
  coinUsd: Decimal | undefined,
): Candle | undefined {
  if (currency === "quote") return candle;
  const convert = (amount: Decimal) => inCurrency(amount, candle.pool.quote, currency, coinUsd);
  const [open, high, low, close] = (["open", "high", "low", "close"] as const).map((name) =>
    convert(candle[name]),
  );
  const volume = candle.volume && convert(candle.volume);
  if (!open || !high || !low || !close) return undefined;
  const pool = { ...candle.pool, quote: currency };
  return { ...candle, open, high, low, close, ...(volume && { volume }), pool };
}

/**
 * Finds the price at a time: the close of the last candle that has started by then, or the open of the first candle if
 * none has. Undefined if the list is empty.
 *
 * @param candles Candles in the order of time.
 */
export function closeAt(candles: readonly Candle[], start: number): Decimal | undefined {
  let [low, high] = [0, candles.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((candles[middle] as Candle).start <= start) low = middle + 1;
    else high = middle;
  }
  return candles[low - 1]?.close ?? candles[0]?.open;
}

/** Puts changed candles into a list, replacing those with the same start. Both lists are in the order of time. */
export function withCandles(candles: readonly Candle[], changed: readonly Candle[]): Candle[] {
  const starts = new Set(changed.map(({ start }) => start));
  return [...candles.filter(({ start }) => !starts.has(start)), ...changed].toSorted(
    (a, b) => a.start - b.start,
  );
}
