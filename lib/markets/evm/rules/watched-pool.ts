import { priceAt } from "../../../chains/evm/rules/pool-price.ts";
import type { SwapVenue } from "../../../chains/evm/rules/swap-venues.ts";
import { type Decimal, decimalOf, ratioOf } from "../../../core/decimal.ts";
import type { Look } from "../../../orders/block.ts";
import type { CandlePool } from "../../core/candle.ts";

/** A pool whose state and events are read. */
export type WatchedPool = CandlePool & {
  venue: SwapVenue;
  token: string;
  decimals: number;
  quoteDecimals: number;
  /** True if the token is the first of the pool's two tokens, which is the one with the lower address. */
  isTokenFirst: boolean;
};

/**
 * A log of a pool: a swap, or on v2 a change of its reserves. A swap on v2 writes two logs, and only the first of them
 * has a state.
 */
export type PoolEvent = {
  pool: string;
  block: number;
  blockHash: string;
  /** Time of the block, in epoch seconds. Several blocks may have the same time. 0 if the host did not state it. */
  time: number;
  /** Position of the event among all logs of the block. */
  logIndex: number;
  isSwap: boolean;
  /** The swap's amount of the quote, see {@link volumeOf}. */
  volume: Decimal;
  /** State of the pool after the swap, see {@link priceAt}. */
  word?: bigint;
  /** Price at the pool's state after the swap. Absent if the pool is empty. */
  price?: Decimal;
  /** Units of the pool's first and second token that a swap on v2 brought in, minus those that it took out. */
  change?: readonly [bigint, bigint];
};

/** One host's view of a chain and of the requested pools, at the host's latest block or an earlier one. */
export type MarketLook = Omit<Look, "final"> & {
  /** State of each pool that the host returned, see {@link priceAt}. */
  words: ReadonlyMap<string, bigint>;
};

/** Computes the price of a token from its pool's state, in whole units of the quote. Undefined if the pool is empty. */
export function priceOf(pool: WatchedPool, word: bigint): Decimal | undefined {
  const { out, in: sold } = priceAt(pool, word, pool.isTokenFirst);
  if (out === 0n || sold === 0n) return undefined;
  return ratioOf(out * 10n ** BigInt(pool.decimals), sold * 10n ** BigInt(pool.quoteDecimals));
}

/** Maximum number of decimal places of a swap's volume. With this many, sums up to a billion are exact in any order. */
const volumePlaces = 9;

/**
 * Converts units of a quote token to the volume of a swap, in whole units of the quote with at most nine decimal
 * places.
 */
export const volumeOf = (units: bigint, quoteDecimals: number): Decimal =>
  decimalOf(units, -quoteDecimals, volumePlaces);
