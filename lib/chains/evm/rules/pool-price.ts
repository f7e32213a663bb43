import type { Order } from "../../../orders/execution.ts";
import type { PoolPrice } from "../../../orders/price-impact.ts";

/** Computes the price of a v2 pool from its reserves. */
export const v2Price = (
  side: Order["side"],
  { coins, tokens }: { coins: bigint; tokens: bigint },
): PoolPrice => (side === "buy" ? { out: tokens, in: coins } : { out: coins, in: tokens });

const q192 = 1n << 192n;

/**
 * Computes the price of a v3 pool.
 *
 * @param sqrtPrice The square root of the units of its second token for one unit of its first, times 2^96.
 * @param isFirstSold True if the pool's first token is sold.
 */
export const v3Price = (sqrtPrice: bigint, isFirstSold: boolean): PoolPrice =>
  isFirstSold ? { out: sqrtPrice ** 2n, in: q192 } : { out: q192, in: sqrtPrice ** 2n };

/** The bin at which one unit of the first token costs one of the second. */
const middleBin = 8_388_608n;

const q128 = 1n << 128n;

/**
 * Computes the price of a bin. From bin to bin it rises by the step, in basis points.
 *
 * @param isFirstSold True if the pool's first token is sold.
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
