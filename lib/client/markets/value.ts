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

/** Value of a position according to its token's market, in the chain's coin and in dollars. */
export type Valuation =
  | ({
      status: "valued";
      /** Profit as a percentage of the cost, with at most four decimal places. */
      percent?: number;
      /** True if selling would bring over 5 % less than `value`. In this case, show `exitValue` first. */
      isThin: boolean;
      priceAsOf: string;
      /** Value in dollars. Absent if the coin's price in dollars is unknown. */
      usd?: Worth;
    } & Worth)
  /** The market is not read at the moment, so a number would mislead. */
  | { status: "stale"; priceAsOf: string }
  /** No price is known, or no amount. */
  | { status: "unpriced" };

export type Worth = {
  /** Price of one token. */
  price: Decimal;
  /** Value of the position at this price. */
  value: Decimal;
  /** Estimated proceeds of selling the whole position, after price impact and the pool's fee. */
  exitValue?: Decimal;
  /** `value` minus the cost of the position. Absent if the cost is unknown. */
  unrealizedPnl?: Decimal;
  /** `unrealizedPnl` minus the network fees of the purchases. Absent if they are unknown. */
  netUnrealizedPnl?: Decimal;
};

type Held = Pick<Position, "chain" | "amount" | "cost" | "costFees">;

/** A market of the stream or of `getMarket`. Only `getMarket` names the pool's fee. */
type Priced = Pick<MarketRecord, "asOf" | "price" | "priceUsd" | "liquidity"> & {
  flags: readonly string[];
} & Pick<Market, "pool">;

/** Divides the reserve by the depth: selling a fiftieth of the reserve moves the price by 2 %. */
const reservePerDepth = 50n;

/** A market is thin if a sale brings less than this percentage of the value. */
const thinPercent = 95n;

/**
 * Values a position. Amounts in coin are exact and equal to those of `listPositions` with `valued`. Amounts in dollars
 * have 18 significant digits.
 *
 * @param feeBps The pool's fee, if the market does not name it.
 */
export function valuationOf(
  { chain, amount, cost, costFees }: Held,
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
  const fees = exact(costFees);
  const net = pnl !== undefined && fees ? pnl - unitsOf(fees, decimals) : undefined;
  const exit = exitOf(value, exact(market.liquidity), decimals, market.pool?.feeBps ?? feeBps);
  const units = { value, exit, pnl, net };
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

type Units = { value: bigint } & Record<"exit" | "pnl" | "net", bigint | undefined>;

function worthOf({ value, exit, pnl, net }: Units, show: (coins: bigint) => Decimal): Omit<Worth, "price"> {
  return {
    value: show(value),
    ...(exit !== undefined && { exitValue: show(exit) }),
    ...(pnl !== undefined && { unrealizedPnl: show(pnl) }),
    ...(net !== undefined && { netUnrealizedPnl: show(net) }),
  };
}

/** Computes what a constant-product pool pays: value × reserve ÷ (reserve + value), minus the fee. */
function exitOf(
  value: bigint,
  depth: Exact | undefined,
  decimals: number,
  feeBps: number,
): bigint | undefined {
  if (depth === undefined) return undefined;
  const reserve = unitsOf(depth, decimals) * reservePerDepth;
  if (reserve === 0n) return 0n;
  // A pool's fee can be a fraction of a basis point.
  const all = 10_000_000n;
  const kept = all - BigInt(Math.round(feeBps * 1000));
  return divideHalfEven(value * reserve * kept, (reserve + value) * all);
}

const percentOf = (part: bigint, whole: bigint): number =>
  Number(divideHalfEven(part * 1_000_000n, whole)) / 10_000;
