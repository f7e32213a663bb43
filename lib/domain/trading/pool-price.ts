import type { Order } from "../execution.ts";
import { percentOf } from "./percent.ts";

/** What a pool gives for the least amount, before its fee: so many units of what is bought for so many of what is sold. */
export type PoolPrice = { out: bigint; in: bigint };

/** The price of a v2 pool, by its reserves. */
export const v2Price = (
  side: Order["side"],
  { coins, tokens }: { coins: bigint; tokens: bigint },
): PoolPrice => (side === "buy" ? { out: tokens, in: coins } : { out: coins, in: tokens });

const q192 = 1n << 192n;

/**
 * The price of a v3 pool.
 *
 * @param sqrtPrice The square root of the units of its second token for one of its first, times 2^96.
 * @param isFirstSold Whether what is sold is the pool's first token.
 */
export const v3Price = (sqrtPrice: bigint, isFirstSold: boolean): PoolPrice =>
  isFirstSold ? { out: sqrtPrice ** 2n, in: q192 } : { out: q192, in: sqrtPrice ** 2n };

const wholeBps = 10_000n;

/** How much worse a swap is than the price before it, in percent, the pool's fee left out. */
export function priceImpact(
  price: PoolPrice,
  { amountIn, amountOut, feeBps }: { amountIn: bigint; amountOut: bigint; feeBps: number },
): number {
  const ideal = amountIn * (wholeBps - BigInt(feeBps)) * price.out;
  return percentOf(ideal - amountOut * wholeBps * price.in, ideal);
}
