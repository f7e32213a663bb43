import { chainFacts, type TradingChain } from "../core/chain-facts.ts";
import { compare, type Decimal, formatDecimal, multiply } from "../core/decimal.ts";
import { nativeToken } from "../orders/trading-chain.ts";
import type { LivePrice } from "./coin-price.ts";
import type { DayStatistics, HistoryState, Market, MarketFlag, MarketPool } from "./core/market.ts";
import { marketFlagsOf, percentBetween, worthOf } from "./core/market-facts.ts";
import type { AskedToken } from "./market-token.ts";

/** A market as clients see it. Prices are in the chain's coin; prices and amounts are decimal text. */
export type MarketView = {
  chain: TradingChain;
  token: string;
  symbol: string;
  name: string;
  decimals: number;
  price?: string;
  priceUsd?: string;
  /** Exchange that the coin's price in dollars comes from. */
  usdSource?: string;
  /** Price change in percent. This field and the next six are in the quote of the pool. */
  change1h?: number;
  change24h?: number;
  high24h?: string;
  low24h?: string;
  volume24h?: string;
  trades24h?: number;
  /** Coins that are actually paid for the largest sale with an impact of at most 2 %. */
  liquidity?: string;
  liquidityUsd?: string;
  fdvUsd?: string;
  pool?: { venue: MarketPool["venue"]; pool: string; feeBps: number; quote: string };
  pools: number;
  flags: MarketFlag[];
  history: HistoryState;
  /** Number of the newest block that was read. Absent for the coin. */
  block?: number;
  asOf: string;
};

export type ShownMarket = {
  market: Market;
  /** Figures of the last day. Undefined if unknown or too old. */
  day: DayStatistics | undefined;
  /** True if the market is too old for the client's request. */
  isOld: boolean;
};

/** Shows a market. Unknown fields are absent. */
export function marketView({ market, day, isOld }: ShownMarket, coin: LivePrice | undefined): MarketView {
  const { pool, block, asOf, history, pools, supply } = market;
  const { price, priceUsd, depth, depthUsd } = worthOf(market, coin?.usd);
  // Judges the market as of the time when it was read. The time in the response shows how long ago that was.
  const flags = marketFlagsOf(market, {
    coinUsd: coin?.usd,
    headTime: market.blockTime,
    nowMs: Date.parse(asOf),
  });
  const { volume, trades } = day?.trades === 0 && history !== "complete" ? {} : (day ?? {});
  return {
    ...identityOf(market),
    ...texts({
      price,
      priceUsd,
      ...rangeOf(day, market.price),
      volume24h: volume,
      liquidity: depth,
      liquidityUsd: depthUsd,
      fdvUsd: priceUsd && supply && multiply(supply, priceUsd),
    }),
    ...(priceUsd && coin && { usdSource: coin.source }),
    ...percent("change1h", percentBetween(day?.hourAgo, market.price)),
    ...percent("change24h", percentBetween(day?.dayAgo, market.price)),
    ...(trades !== undefined && { trades24h: trades }),
    ...(pool && {
      pool: { venue: pool.venue, pool: pool.pool, feeBps: pool.feeBps, quote: pool.quote },
    }),
    pools,
    flags: isOld && !flags.includes("STALE") ? [...flags, "STALE"] : flags,
    history,
    block,
    asOf,
  };
}

const identityOf = ({ chain, token, symbol, name, decimals }: Market) => ({
  chain,
  token,
  symbol,
  name,
  decimals,
});

/**
 * Extends the day's range of prices by the current price, because a change of liquidity may have moved it without a
 * swap.
 */
function rangeOf({ high, low }: Partial<DayStatistics> = {}, price: Decimal | undefined) {
  const extreme = (known: Decimal | undefined, sign: number) =>
    known && price && compare(price, known) * sign > 0 ? price : known;
  return { high24h: extreme(high, 1), low24h: extreme(low, -1) };
}

const texts = <Name extends string>(fields: { [Key in Name]: Decimal | undefined }) =>
  Object.fromEntries(
    Object.entries<Decimal | undefined>(fields).flatMap(([name, value]) =>
      value ? [[name, formatDecimal(value)]] : [],
    ),
  ) as { [Key in Name]?: string };

const percent = <Name extends string>(name: Name, value: number | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { [Key in Name]?: number };

/** Shows the coin of a chain, or its wrapped token, which is worth one coin. */
export function coinView({ name, reader }: AskedToken, coin: LivePrice | undefined, now: Date): MarketView {
  const { chain, token } = name;
  const { symbol, name: longName } =
    token === nativeToken ? chainFacts[chain].coin : reader.configuration.wrapped;
  return {
    chain,
    token,
    symbol,
    name: longName,
    decimals: chainFacts[chain].coin.decimals,
    price: "1",
    ...(coin && { priceUsd: formatDecimal(coin.usd), usdSource: coin.source }),
    pools: 0,
    flags: coin ? [] : ["STALE"],
    history: "unavailable",
    asOf: coin?.asOf ?? now.toISOString(),
  };
}
