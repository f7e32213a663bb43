import { greatest } from "./bigints.ts";
import { percentOf } from "./percent.ts";

/** A pool's price for the smallest amount, before its fee: the units bought for a number of units sold. */
export type PoolPrice = { out: bigint; in: bigint };

/**
 * Divisor that turns an amount into the amount of its reference price. A tenth is used, because a trade that small
 * hardly moves the market.
 */
export const referencePart = 10n;

/** Returns a tenth of an amount, at least one unit. */
export const referenceAmount = (amount: bigint): bigint => greatest(amount / referencePart, 1n);

const wholeBps = 10_000n;

/** Computes how much worse one price is than another, in percent and after fees. */
export const marketImpact = (price: PoolPrice, reference: PoolPrice): number => {
  const ideal = price.in * reference.out;
  return percentOf(ideal - price.out * reference.in, ideal);
};

/** Returns the price with the larger output per unit of input. */
export const betterPrice = (a: PoolPrice, b: PoolPrice): PoolPrice => (a.out * b.in < b.out * a.in ? b : a);

/**
 * Computes how much worse a swap's price is than its pools' price before the swap, in percent and without the pools'
 * fees.
 */
export function priceImpact(
  price: PoolPrice,
  { amountIn, amountOut, fees }: { amountIn: bigint; amountOut: bigint; fees: readonly number[] },
): number {
  const left = fees.reduce((product, feeBps) => product * (wholeBps - BigInt(feeBps)), price.out);
  const ideal = amountIn * left;
  return percentOf(ideal - amountOut * wholeBps ** BigInt(fees.length) * price.in, ideal);
}
