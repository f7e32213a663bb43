import { divideHalfEven } from "../../trading/core/decimal-text.ts";
import type { Look } from "../../trading/core/block.ts";
import { v2Price, v3Price } from "../../trading/core/evm/pool-price.ts";
import type { PoolPrice } from "../../trading/core/price-impact.ts";
import { type Decimal, decimalOf, ratioOf } from "./decimal.ts";

/** A log of a pool that shows a swap or a change of its liquidity. */
export type PoolEvent = {
  block: number;
  blockHash: string;
  logIndex: number;
  /** The time of the block, in epoch seconds. 0 if the host did not say it. */
  time: number;
  pool: string;
  /** The state of the pool after it, see {@link MarketLook}. Absent from the Swap of a v2 pool, which follows its Sync. */
  word?: bigint;
  /** The price of that state, in the quote of the pool. Absent without a state or a price. */
  price?: Decimal;
  /** The quote side of a swap, see {@link volumeOf}. */
  volume: Decimal;
  isSwap: boolean;
  /** For the Swap of a v2 pool: the units that came in less those that went out, of its first and its second token. */
  change?: readonly [bigint, bigint];
};

/** One host's view of a chain and of the pools whose prices are wanted, at its latest block. */
export type MarketLook = Omit<Look, "final"> & {
  /**
   * The state of each pool that answered, as one number: the reserves of a v2 pool, see {@link wordOfReserves}, or the square
   * root of a v3 pool's price.
   */
  words: ReadonlyMap<string, bigint>;
};

/** What a pool's price depends on besides its state. */
export type PoolPricing = {
  kind: "v2" | "v3";
  /** True if the quote token is the first token of the pool. */
  isQuoteFirst: boolean;
  tokenDecimals: number;
  quoteDecimals: number;
};

const reserveBits = 112n;

export const wordOfReserves = (first: bigint, second: bigint): bigint => (first << reserveBits) | second;

export const reservesOfWord = (word: bigint): [first: bigint, second: bigint] => [
  word >> reserveBits,
  word & ((1n << reserveBits) - 1n),
];

/** Computes the price of a v2 pool in its quote. Undefined if it is empty. */
export function priceOfReserves(first: bigint, second: bigint, pricing: PoolPricing): Decimal | undefined {
  const [coins, tokens] = pricing.isQuoteFirst ? [first, second] : [second, first];
  return priceIn(v2Price("sell", { coins, tokens }), pricing);
}

/** Computes the price of a v3 pool in its quote. Undefined if it has none yet. */
export const priceOfSqrt = (sqrtPrice: bigint, pricing: PoolPricing): Decimal | undefined =>
  priceIn(v3Price(sqrtPrice, !pricing.isQuoteFirst), pricing);

function priceIn(
  { out, in: sold }: PoolPrice,
  { tokenDecimals, quoteDecimals }: PoolPricing,
): Decimal | undefined {
  if (out <= 0n || sold <= 0n) return undefined;
  return ratioOf(out * 10n ** BigInt(tokenDecimals), sold * 10n ** BigInt(quoteDecimals));
}

/** Computes the price of a pool's state. Undefined if it has none. */
export function priceOfWord(word: bigint, pricing: PoolPricing): Decimal | undefined {
  return pricing.kind === "v2"
    ? priceOfReserves(...reservesOfWord(word), pricing)
    : priceOfSqrt(word, pricing);
}

/** The most decimal places of a swap's volume. So sums are exact, in any order, up to a billion. */
const volumePlaces = 9;

/** Converts units of a quote token to the volume of a swap: in whole tokens, with at most nine decimal places. */
export function volumeOf(units: bigint, decimals: number): Decimal {
  const surplus = decimals - volumePlaces;
  return surplus <= 0
    ? decimalOf(units, -decimals)
    : decimalOf(divideHalfEven(units, 10n ** BigInt(surplus)), -volumePlaces);
}
