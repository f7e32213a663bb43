import { chainFacts, type TradingChain } from "../../core/chain-facts.ts";
import { compare, type Decimal, divide, formatDecimal, multiply } from "../../core/decimal.ts";
import { inCurrency } from "./candles.ts";
import type { Market, MarketFlag } from "./market.ts";

const decimal = (value: bigint): Decimal => ({ mantissa: value, exponent: 0 });

/** Minimum depth of a market that is not thin, in coins and in dollars. */
const leastCoins = decimal(5n);
const leastUsd: Decimal = { mantissa: 1n, exponent: 4 };

/** Price of a token and the depth of its pool, in the chain's coin and in dollars. */
export type Worth = { price?: Decimal; priceUsd?: Decimal; depth?: Decimal; depthUsd?: Decimal };

/** @param coinUsd The coin's price in dollars. Undefined if unknown. */
export function worthOf({ pool, price }: Pick<Market, "pool" | "price">, coinUsd?: Decimal): Worth {
  const depth = pool?.depth;
  const inQuote = (currency: "native" | "usd") =>
    pool && price && inCurrency(price, pool.quote, currency, coinUsd);
  return withoutUndefined({
    price: inQuote("native"),
    priceUsd: inQuote("usd"),
    depth,
    depthUsd: depth && coinUsd && multiply(depth, coinUsd),
  });
}

/** Leaves out unknown figures. */
const withoutUndefined = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>;
  };

/** Maximum age of the newest block that was read: five blocks, and at least ten seconds. */
export const mostAgeSeconds = (chain: TradingChain): number =>
  Math.max(10, 5 * chainFacts[chain].blockSeconds);

type Flagged = Pick<Market, "chain" | "pool" | "hasGaps">;

/**
 * @param headTime The time of the newest block that was read, in epoch seconds. A market whose pool has not changed
 * counts as being as new as this block.
 */
export function marketFlagsOf(
  market: Flagged,
  { coinUsd, headTime, nowMs }: { coinUsd?: Decimal | undefined; headTime: number; nowMs: number },
): MarketFlag[] {
  const { depth, depthUsd } = worthOf(market, coinUsd);
  const isThin =
    depth !== undefined &&
    (compare(depth, leastCoins) < 0 || (depthUsd !== undefined && compare(depthUsd, leastUsd) < 0));
  return [
    ...(isThin ? ["THIN" as const] : []),
    ...(nowMs / 1000 - headTime > mostAgeSeconds(market.chain) ? ["STALE" as const] : []),
    ...(market.hasGaps ? ["GAPS" as const] : []),
    ...(market.pool === undefined ? ["NO_POOL" as const] : []),
  ];
}

/**
 * Computes the change between two prices in percent, with at most four decimal places. Undefined if one of the prices
 * is unknown or the first one is 0.
 */
export function percentBetween(before: Decimal | undefined, after: Decimal | undefined): number | undefined {
  if (before === undefined || after === undefined || before.mantissa === 0n) return undefined;
  const percent = (Number(formatDecimal(divide(after, before))) - 1) * 100;
  return Number.isFinite(percent) ? Math.round(percent * 10_000) / 10_000 : undefined;
}
