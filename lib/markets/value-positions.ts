import { addressProblem, readAddress } from "../chains/families/address.ts";
import { type TradingChain, tradingChains } from "../core/chain-facts.ts";
import { formatDecimal } from "../core/decimal.ts";
import { isOpen, type Position } from "../orders/execution.ts";
import type { Price } from "../prices/price.ts";
import type { Table } from "../table/table.ts";
import { coinPriceOf } from "./coin-price.ts";
import type { Market, TokenName } from "./core/market.ts";
import { worthOf } from "./core/market-facts.ts";
import { positionValue } from "./core/position-value.ts";
import { readMarketsOf } from "./items/market-items.ts";
import type { Want } from "./want-markets.ts";

/** A position with its value, if known. Amounts are decimal text. */
export type ListedPosition = Position & {
  /** Price in coins per token. */
  price?: string;
  /** Value of `amount` at `price`, in coins. */
  value?: string;
  /** Profit so far: `value` minus `cost`. */
  unrealizedPnl?: string;
  /** The same, less the network fees of the purchases. */
  netUnrealizedPnl?: string;
  priceAsOf?: string;
};

export type ValueDeps = { table: Table; prices: () => Promise<readonly Price[]>; want: Want };

/**
 * Maximum age of a market. Markets that are being read are stored every five minutes. Older ones would give a wrong
 * value.
 */
const mostAgeMs = 10 * 60_000;

/**
 * Adds the value of open positions for whose token a market is known. Also requests the markets of all open positions.
 */
export async function valuePositions(
  { table, prices, want }: ValueDeps,
  { userID, now }: { userID: string; now: Date },
  positions: readonly Position[],
): Promise<ListedPosition[]> {
  const names = new Map(
    positions.flatMap((position) => {
      const name = isOpen(position) ? tokenOfPosition(position) : undefined;
      return name ? [[`${name.chain} ${name.token}`, name] as const] : [];
    }),
  );
  if (names.size === 0) return [...positions];
  const [markets, coins] = await Promise.all([readMarketsOf(table, [...names.values()]), prices()]);
  await want(userID, [...names.values()], now);
  const isNew = ({ asOf }: Market) => now.getTime() - Date.parse(asOf) <= mostAgeMs;
  const known = new Map(
    markets.filter(isNew).map((market) => [`${market.chain} ${market.token}`, market] as const),
  );
  return positions.map((position) => {
    const name = isOpen(position) ? tokenOfPosition(position) : undefined;
    const market = name && known.get(`${name.chain} ${name.token}`);
    return market ? { ...position, ...worthIn(position, market, coins, now) } : position;
  });
}

/**
 * Names the token of a position on a chain with markets. Normalizes the address, because other engines may write
 * addresses of EVM chains in lower case.
 */
export function tokenOfPosition({ chain, token }: Position): TokenName | undefined {
  const trading = tradingChains.find((each) => each === chain);
  if (trading === undefined || token === undefined) return undefined;
  return addressProblem(trading, token) === undefined
    ? { chain: trading, token: readAddress(trading, token, "token") }
    : undefined;
}

function worthIn(
  { amount, cost, costFees }: Position,
  market: Market,
  coins: readonly Price[],
  now: Date,
): Pick<ListedPosition, "price" | "value" | "unrealizedPnl" | "netUnrealizedPnl" | "priceAsOf"> {
  const chain: TradingChain = market.chain;
  const { price } = worthOf(market, coinPriceOf(coins, chain, now)?.usd);
  const value = price && positionValue({ chain, amount, cost, costFees }, price);
  return price && value ? { price: formatDecimal(price), ...value, priceAsOf: market.asOf } : {};
}
