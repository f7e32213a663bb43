import type { Order } from "../execution.ts";
import { percentOf } from "../percent.ts";

/** A pool's price for the smallest amount, before its fee: units bought for units sold. */
export type PoolPrice = { out: bigint; in: bigint };

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

const wholeBps = 10_000n;

/** Computes the percentage by which one price is worse than another, both after fees. */
export const marketImpact = (price: PoolPrice, reference: PoolPrice): number => {
  const ideal = price.in * reference.out;
  return percentOf(ideal - price.out * reference.in, ideal);
};

/** Computes the percentage by which a swap is worse than the price of its pools before it, without their fees. */
export function priceImpact(
  price: PoolPrice,
  { amountIn, amountOut, fees }: { amountIn: bigint; amountOut: bigint; fees: readonly number[] },
): number {
  const left = fees.reduce((product, feeBps) => product * (wholeBps - BigInt(feeBps)), price.out);
  const ideal = amountIn * left;
  return percentOf(ideal - amountOut * wholeBps ** BigInt(fees.length) * price.in, ideal);
}
