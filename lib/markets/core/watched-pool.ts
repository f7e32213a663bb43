import { kindOf, type SwapVenue } from "../../trading/core/intent.ts";
import type { CandlePool } from "./candle.ts";
import { type Decimal, ratioOf } from "./decimal.ts";

/** A pool whose state and events are read. */
export type WatchedPool = CandlePool & {
  venue: SwapVenue;
  token: string;
  decimals: number;
  quoteDecimals: number;
  /** True if the token is the pool's first: the one with the lower address. */
  isTokenFirst: boolean;
};

/** A log of a pool: a swap, or on v2 a change of its reserves. A swap on v2 has two, and only the first has a state. */
export type PoolEvent = {
  pool: string;
  block: number;
  blockHash: string;
  /** The block's time, in epoch seconds. Several blocks may share it. */
  time: number;
  /** The place among all logs of the block. */
  logIndex: number;
  isSwap: boolean;
  /** The quote side of a swap, in whole units of the quote. */
  volume: Decimal;
  /** The pool's state after it, see {@link priceOf}. */
  word?: bigint;
  /** The price by that state. Absent if the pool is empty. */
  price?: Decimal;
};

const reserveBits = 112n;
const q192 = 1n << 192n;

/** Joins the two reserves of a v2 pool to its state. */
export const wordOfReserves = (first: bigint, second: bigint): bigint => (first << reserveBits) | second;

/**
 * Computes the price of a token in whole units of the quote. Undefined if the pool is empty.
 *
 * @param word The state of the pool: of v2 its reserves, of other kinds the square root of its price, times 2^96.
 */
export function priceOf(pool: WatchedPool, word: bigint): Decimal | undefined {
  const [first, second] =
    kindOf(pool) === "v2" ? [word >> reserveBits, word & ((1n << reserveBits) - 1n)] : [q192, word ** 2n];
  if (first === 0n || second === 0n) return undefined;
  const [tokens, quotes] = pool.isTokenFirst ? [first, second] : [second, first];
  return ratioOf(quotes * 10n ** BigInt(pool.decimals), tokens * 10n ** BigInt(pool.quoteDecimals));
}
