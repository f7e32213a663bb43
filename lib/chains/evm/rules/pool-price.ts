import type { PoolPrice } from "../../../orders/price-impact.ts";
import { kindOf, type SwapVenue } from "./swap-venues.ts";

const reserveBits = 112n;

/** Joins the two reserves of a v2 pool into one number, the pool's state. */
export const wordOfReserves = (first: bigint, second: bigint): bigint => (first << reserveBits) | second;

/** Splits the state of a v2 pool into its two reserves. */
export const v2ReservesOf = (word: bigint): [first: bigint, second: bigint] => [
  word >> reserveBits,
  word & ((1n << reserveBits) - 1n),
];

const q192 = 1n << 192n;

/**
 * Computes the price of a pool without bins from its state.
 * @param word For v2, the two reserves. For other kinds, the square root of the price of the first token in units of
 * the second, times 2^96.
 * @param isFirstSold True if the trade sells the pool's first token, the one with the lower address.
 */
export function priceAt(pool: { venue: SwapVenue }, word: bigint, isFirstSold: boolean): PoolPrice {
  const [first, second] = kindOf(pool) === "v2" ? v2ReservesOf(word) : [q192, word ** 2n];
  return isFirstSold ? { out: second, in: first } : { out: first, in: second };
}

/** Computes the price of a swap through two pools, one after the other. */
export const priceOver = (one: PoolPrice, other: PoolPrice): PoolPrice => ({
  out: one.out * other.out,
  in: one.in * other.in,
});

/** The bin in which one unit of the first token costs one unit of the second. */
const middleBin = 8_388_608n;

const q128 = 1n << 128n;

/**
 * Computes the price of a bin. From each bin to the next, it rises by the step, in basis points.
 *
 * @param isFirstSold True if the trade sells the pool's first token.
 */
export function binPrice(bin: bigint, stepBps: number, isFirstSold: boolean): PoolPrice {
  const isAbove = bin >= middleBin;
  let [factor, price] = [q128 + (q128 * BigInt(stepBps)) / wholeBps, q128];
  for (let steps = isAbove ? bin - middleBin : middleBin - bin; steps > 0n; steps >>= 1n) {
    if (steps & 1n) price = (price * factor) >> 128n;
    factor = (factor * factor) >> 128n;
  }
  return isAbove === isFirstSold ? { out: price, in: q128 } : { out: q128, in: price };
}

const wholeBps = 10_000n;
