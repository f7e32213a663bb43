import type { Decimal } from "../openapi.ts";
import type { MarketRecord, Position } from "../stream-types.ts";
import type { Market } from "../types.ts";
import {
  compare,
  divideHalfEven,
  type Exact,
  exact,
  ofUnits,
  ratio,
  rounded,
  textOf,
  times,
  unitsOf,
  zero,
} from "./exact.ts";

/** The worth of a position by its token's market, in the chain's coin and in dollars. */
export type Valuation =
  | ({
      status: "valued";
      /** Percent of the cost, with at most four decimal places. */
      percent?: number;
      /** True if a sale would bring over 5 % less than `value`: show `exitValue` first. */
      isThin: boolean;
      priceAsOf: string;
      /** Absent if the coin's price in dollars is unknown. */
      usd?: Worth;
    } & Worth)
  /** The market is not read at the moment, so a number would mislead. */
  | { status: "stale"; priceAsOf: string }
  /** No price is known, or no amount. */
  | { status: "unpriced" };

export type Worth = {
  /** The price of a token. */
  price: Decimal;
  /** The amount at this price. */
  value: Decimal;
  /** Estimated proceeds of selling all of it, after the price impact and the pool's fee. */
  exitValue?: Decimal;
  /** `value` less the cost of the position. Absent without a cost. */
  unrealizedPnl?: Decimal;
};

type Held = Pick<Position, "chain" | "amount" | "cost">;

/** A market of the stream or of `getMarket`. Only the latter names the fee of the pool. */
type Priced = Pick<MarketRecord, "asOf" | "price" | "priceUsd" | "liquidity"> & {
  flags: readonly string[];
} & Pick<Market, "pool">;

/** A sale that moves the price by 2 % is as large as a fiftieth of the reserve. */
const reservePerDepth = 50n;

/** A sale that brings less than this many percent of the value makes the market thin. */
const thinPercent = 95n;

/**
 * Values a position. Numbers in coin are exact to its last unit, and the same as those of `listPositions` with `valued`; in
 * dollars, they have 18 significant digits.
 *
 * @param feeBps The fee of the pool, if the market does not name it.
 */
export function valuationOf(
  { chain, amount, cost }: Held,
  market: Priced | undefined,
  { feeBps = 0 }: { feeBps?: number } = {},
): Valuation {
  const [held, price] = [exact(amount), exact(market?.price)];
  if (market === undefined || held === undefined || price === undefined) return { status: "unpriced" };
  const { asOf: priceAsOf, flags } = market;
  if (flags.includes("STALE")) return { status: "stale", priceAsOf };
  const decimals = chain === "sol" ? 9 : 18;
  const value = unitsOf(times(held, price), decimals);
  const paid = exact(cost);
  const paidUnits = paid && unitsOf(paid, decimals);
  const pnl = paidUnits === undefined ? undefined : value - paidUnits;
  const exit = exitOf(value, exact(market.liquidity), decimals, market.pool?.feeBps ?? feeBps);
  const units = { value, ...(exit !== undefined && { exit }), ...(pnl !== undefined && { pnl }) };
  const usd = exact(market.priceUsd);
  const coinUsd = usd && compare(price, zero) > 0 ? ratio(usd, price) : undefined;
  const inDollars = (coins: bigint, by: Exact) => textOf(rounded(times(ofUnits(coins, decimals), by)));
  return {
    status: "valued",
    price: textOf(price),
    ...worthOf(units, (coins) => textOf(ofUnits(coins, decimals))),
    ...(pnl !== undefined &&
      paidUnits !== undefined &&
      paidUnits > 0n && { percent: percentOf(pnl, paidUnits) }),
    isThin: exit !== undefined && exit * 100n < value * thinPercent,
    priceAsOf,
    ...(usd &&
      coinUsd && {
        usd: {
          price: textOf(usd),
          ...worthOf(units, (coins) => inDollars(coins, coinUsd)),
          value: textOf(rounded(times(held, usd))),
        },
      }),
  };
}

function worthOf(
  { value, exit, pnl }: { value: bigint; exit?: bigint; pnl?: bigint },
  show: (coins: bigint) => Decimal,
): Omit<Worth, "price"> {
  return {
    value: show(value),
    ...(exit !== undefined && { exitValue: show(exit) }),
    ...(pnl !== undefined && { unrealizedPnl: show(pnl) }),
  };
}

/** Computes the payment of a pool with constant product: value × reserve ÷ (reserve + value), less the fee. */
function exitOf(
  value: bigint,
  depth: Exact | undefined,
  decimals: number,
  feeBps: number,
): bigint | undefined {
  if (depth === undefined) return undefined;
  const reserve = unitsOf(depth, decimals) * reservePerDepth;
  if (reserve === 0n) return 0n;
  // Pools may have fees of a part of a basis point.
  const all = 10_000_000n;
  const kept = all - BigInt(Math.round(feeBps * 1000));
  return divideHalfEven(value * reserve * kept, (reserve + value) * all);
}

const percentOf = (part: bigint, whole: bigint): number =>
  Number(divideHalfEven(part * 1_000_000n, whole)) / 10_000;
