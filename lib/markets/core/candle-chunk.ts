import { compare, type Decimal, isDecimal, zero } from "../../core/decimal.ts";
import { type Candle, type CandlePool, type Interval, intervalSeconds } from "./candle.ts";

/**
 * Candles are stored in chunks: minute candles in chunks of ten minutes, hourly candles in chunks of a day, and daily
 * candles in chunks of a year.
 */
export const chunkKinds = ["minutes", "hours", "days"] as const;

export type ChunkKind = (typeof chunkKinds)[number];

/** The interval of the candles of each kind. */
export const chunkIntervals = { minutes: "1m", hours: "1h", days: "1d" } as const satisfies Record<
  ChunkKind,
  Interval
>;

/** Returns the start of the chunk that contains a time. Both are in epoch seconds. */
export function chunkStart(kind: ChunkKind, time: number): number {
  if (kind === "minutes") return time - (time % 600);
  if (kind === "hours") return time - (time % 86_400);
  return yearStart(new Date(time * 1000).getUTCFullYear());
}

/** Returns the start of the next chunk. */
export function chunkEnd(kind: ChunkKind, start: number): number {
  if (kind === "minutes") return start + 600;
  if (kind === "hours") return start + 86_400;
  return yearStart(new Date(start * 1000).getUTCFullYear() + 1);
}

const yearStart = (year: number) => Date.UTC(year, 0, 1) / 1000;

const format = 1;
const prices = ["open", "high", "low", "close", "volume"] as const;
const decimalBytes = 10;
const candleBytes = 8 + prices.length * decimalBytes;
const flags = { isFinal: 1, hasGaps: 2, isUncounted: 4 };
const allFlags = flags.isFinal | flags.hasGaps | flags.isUncounted;
const mostExponent = 400;
const mostTrades = 0xffff_ffff;

/**
 * Packs the candles of a chunk: first the pools, then the candles in the order of time. Each candle takes 58 bytes.
 *
 * @param start The start of the chunk, in epoch seconds.
 */
export function packChunk(kind: ChunkKind, start: number, candles: readonly Candle[]): Uint8Array {
  const names = new Map<string, Uint8Array>();
  const named = (pool: CandlePool) => {
    const bytes = poolBytes(pool);
    const name = String(bytes);
    if (!names.has(name)) names.set(name, bytes);
    return [...names.keys()].indexOf(name);
  };
  const indices = candles.map(({ pool }) => named(pool));
  const head = Uint8Array.from([format, names.size, ...[...names.values()].flatMap((bytes) => [...bytes])]);
  const packed = new Uint8Array(head.length + candles.length * candleBytes);
  packed.set(head);
  const view = new DataView(packed.buffer, head.length);
  for (const [index, candle] of candles.entries()) {
    let at = index * candleBytes;
    view.setUint16(at, (candle.start - start) / intervalSeconds[chunkIntervals[kind]]);
    view.setUint8(at + 2, indices[index] as number);
    view.setUint8(at + 3, flagsOf(candle));
    view.setUint32(at + 4, Math.min(candle.trades ?? 0, mostTrades));
    at += 8;
    for (const name of prices) {
      const { mantissa, exponent } = candle[name] ?? zero;
      view.setBigUint64(at, mantissa);
      view.setInt16(at + 8, exponent);
      at += decimalBytes;
    }
  }
  return packed;
}

const flagsOf = ({ isFinal, hasGaps, trades }: Candle) =>
  (isFinal ? flags.isFinal : 0) |
  (hasGaps ? flags.hasGaps : 0) |
  (trades === undefined ? flags.isUncounted : 0);

function poolBytes({ pool, quote }: CandlePool): Uint8Array {
  const texts = [pool, quote].map((text) => new TextEncoder().encode(text).slice(0, 255));
  return Uint8Array.from(texts.flatMap((bytes) => [bytes.length, ...bytes]));
}

/** Unpacks the candles of a chunk. Undefined if the bytes are not a chunk of this kind. */
export function unpackChunk(kind: ChunkKind, start: number, packed: Uint8Array): Candle[] | undefined {
  if (packed[0] !== format) return undefined;
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  const pools: CandlePool[] = [];
  let at = 2;
  const text = () => {
    const [from, length] = [at + 1, packed[at] ?? 0];
    at = from + length;
    return new TextDecoder().decode(packed.subarray(from, at));
  };
  for (let left = packed[1] ?? 0; left > 0; left--) pools.push({ pool: text(), quote: text() });
  if (at > packed.length || (packed.length - at) % candleBytes !== 0) return undefined;
  const candles: Candle[] = [];
  for (; at < packed.length; at += candleBytes) {
    const candle = candleAt(view, at, pools, start, intervalSeconds[chunkIntervals[kind]]);
    if (candle === undefined || candle.start < (candles.at(-1)?.start ?? start)) return undefined;
    candles.push(candle);
  }
  return (candles.at(-1)?.start ?? start) < chunkEnd(kind, start) ? candles : undefined;
}

function candleAt(
  view: DataView,
  at: number,
  pools: readonly CandlePool[],
  start: number,
  seconds: number,
): Candle | undefined {
  const pool = pools[view.getUint8(at + 2)];
  const flagged = view.getUint8(at + 3);
  if (pool === undefined || flagged > allFlags) return undefined;
  const [open, high, low, close, volume] = prices.map((_, index): Decimal => {
    const place = at + 8 + index * decimalBytes;
    return { mantissa: view.getBigUint64(place), exponent: view.getInt16(place + 8) };
  }) as [Decimal, Decimal, Decimal, Decimal, Decimal];
  // Rejects huge exponents, because comparing such numbers would take too long.
  const isSound = (decimal: Decimal) => isDecimal(decimal) && Math.abs(decimal.exponent) <= mostExponent;
  if (![open, high, low, close, volume].every(isSound)) return undefined;
  if ([open, close].some((price) => compare(price, low) < 0 || compare(price, high) > 0)) return undefined;
  const [trades, isUncounted] = [view.getUint32(at + 4), (flagged & flags.isUncounted) !== 0];
  if (isUncounted && (trades > 0 || volume.mantissa > 0n)) return undefined;
  return {
    start: start + view.getUint16(at) * seconds,
    open,
    high,
    low,
    close,
    ...(!isUncounted && { volume, trades }),
    pool,
    isFinal: (flagged & flags.isFinal) !== 0,
    hasGaps: (flagged & flags.hasGaps) !== 0,
  };
}
