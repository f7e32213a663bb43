import { type Decimal, decimalOf } from "../../core/decimal.ts";
import type { CoinUnits, TokenUnits } from "../../core/units.ts";
import {
  betterPrice,
  marketImpact,
  type PoolPrice,
  priceImpact,
  referenceAmount,
} from "../../orders/price-impact.ts";

/**
 * Price impact that defines the depth of a pool, in percent: the depth is what the pool pays for the largest sale
 * within this impact.
 */
const mostImpact = 2;

/** Minimum depth of a pool whose price is used: a tenth of a coin. */
export const leastDepth = (coinDecimals: number): CoinUnits => 10n ** BigInt(coinDecimals - 1);

/**
 * Steps of the first ladder, each ten times the previous one. They begin below the minimum depth, because the fees
 * reduce what the pool pays.
 */
const coarseSteps = Array.from({ length: 8 }, (_, power) => (leastDepth(18) / 2n) * 10n ** BigInt(power));

/**
 * Steps between two steps of the first ladder, in thousandths of the lower one. Each is about 15 % above the previous
 * one.
 */
const fineSteps = [
  ...[1150n, 1320n, 1520n, 1750n, 2010n, 2310n, 2660n, 3060n],
  ...[3520n, 4050n, 4650n, 5350n, 6150n, 7080n, 8140n, 9360n],
];

/** Steps around a previously measured depth, in thousandths of it. */
const nearSteps = [250n, 500n, 700n, 850n, 950n, 1000n, 1030n, 1070n, 1150n, 1300n, 1600n, 2500n, 4000n];

/** Limits amounts, because no pool can hold more than this. */
const tooMany = 1n << 112n;

/** Prices of the pools of a sale's route, and their fees in basis points. */
export type RouteTerms = { price: PoolPrice; fees: readonly number[] };

const isPossible = (amount: TokenUnits) => amount > 0n && amount < tooMany;

/** Lists amounts of tokens that are worth 0.05 to 500,000 coins at the price of a sale. */
export const coarseAmounts = ({ out, in: sold }: PoolPrice): TokenUnits[] =>
  out === 0n ? [] : coarseSteps.map((coins) => (coins * sold) / out).filter(isPossible);

/** Lists amounts between a step of the first ladder and the next one. */
export const fineAmounts = (amount: TokenUnits): TokenUnits[] =>
  fineSteps.map((thousandths) => (amount * thousandths) / 1000n).filter(isPossible);

/** Lists amounts around the previously measured depth, at the price of a sale. */
export const nearAmounts = (price: PoolPrice, depth: CoinUnits): TokenUnits[] =>
  price.out === 0n
    ? []
    : nearSteps
        .map((thousandths) => (depth * thousandths * price.in) / (1000n * price.out))
        .filter(isPossible);

/** A possible sale from a ladder: its index, and the amount that the pool pays. */
export type Sale = { index: number; amountOut: CoinUnits };

/**
 * Finds the largest sale without too much impact. Sales larger than the first one with too much impact never count.
 *
 * @param amountsOut Output of the route for each amount. Undefined if the route would run dry.
 */
export function greatestSale(
  { price, fees }: RouteTerms,
  amounts: readonly bigint[],
  amountsOut: readonly (bigint | undefined)[],
): Sale | undefined {
  const failed = amounts.findIndex((amountIn, index) => {
    const amountOut = amountsOut[index];
    return amountOut === undefined || priceImpact(price, { amountIn, amountOut, fees }) > mostImpact;
  });
  const index = (failed < 0 ? amounts.length : failed) - 1;
  const amountOut = amountsOut[index];
  return amountOut === undefined ? undefined : { index, amountOut };
}

/** Computes the depth of a constant-product pool. Fees do not change it. */
export function depthOfReserves({ tokens, coins }: { tokens: TokenUnits; coins: CoinUnits }): CoinUnits {
  if (tokens <= 0n || coins <= 0n) return 0n;
  const impact = BigInt(mostImpact);
  const arrived = (tokens * impact) / (100n - impact);
  return arrived === 0n ? 0n : (coins * arrived) / (tokens + arrived);
}

/** What a route shows of a pool: terms of a sale, and the depth. */
type Measured = { terms: RouteTerms; depth: CoinUnits };

/**
 * Lists the pools that may only buy: those that are deep enough, but more than 2 % cheaper than another one in which a
 * sale gets something. Anybody can bid so far below the market without a risk. Anybody who sells there is soon sold
 * out.
 */
export function cheapPools<Pool extends Measured>(pools: readonly Pool[], coinDecimals: number): Pool[] {
  const [first, ...others] = pools.filter(({ depth }) => depth > 0n).map(({ terms }) => terms.price);
  if (first === undefined) return [];
  const dearest = others.reduce(betterPrice, first);
  return pools.filter(
    ({ terms, depth }) =>
      depth >= leastDepth(coinDecimals) && marketImpact(terms.price, dearest) > mostImpact,
  );
}

/** Returns the coins of a purchase that a cheap pool must fill: a tenth of what a sale gets there. */
export const coinsOfPurchase = ({ depth }: Measured): bigint => referenceAmount(depth);

/**
 * True if a pool also sells at its price, as far as that purchase moves it by at most 2 %.
 *
 * @param amountOut Tokens that the purchase gets. Undefined if the route would run dry.
 */
export function isSelling(pool: Measured, amountOut: TokenUnits | undefined): boolean {
  const { price, fees } = pool.terms;
  const terms = { price: { in: price.out, out: price.in }, fees };
  return greatestSale(terms, [coinsOfPurchase(pool)], [amountOut]) !== undefined;
}

/** Decimal places of a depth. More would be meaningless, because the ladders proceed in steps. */
const depthPlaces = 6;

/** Converts units of a coin to a depth. */
export const depthOf = (units: CoinUnits, coinDecimals: number): Decimal =>
  decimalOf(units, -coinDecimals, depthPlaces);
