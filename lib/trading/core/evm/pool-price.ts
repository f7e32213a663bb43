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

/** Computes the percentage by which a swap is worse than the pool's price before it, without the pool's fee. */
export function priceImpact(
  price: PoolPrice,
  { amountIn, amountOut, feeBps }: { amountIn: bigint; amountOut: bigint; feeBps: number },
): number {
  const ideal = amountIn * (wholeBps - BigInt(feeBps)) * price.out;
  return percentOf(ideal - amountOut * wholeBps * price.in, ideal);
}
