import { type Decimal, formatDecimal } from "../../core/decimal.ts";
import type { Candle } from "./candle.ts";
import { candleInCurrency } from "./candles.ts";
import type { Market, MarketFlag, TokenName } from "./market.ts";
import { percentBetween, worthOf } from "./market-facts.ts";
import type { MarketRecord, MinuteRecord } from "./market-record.ts";

/** Describes a market for clients. If the coin's price in dollars is unknown, figures that depend on it are absent. */
export function recordOf(
  market: Market,
  {
    coinUsd,
    flags,
    minutes = [],
  }: { coinUsd: Decimal | undefined; flags: readonly MarketFlag[]; minutes?: readonly MinuteRecord[] },
): MarketRecord {
  const { chain, token, symbol, decimals, pool, day, block, revision, asOf } = market;
  const { price, priceUsd, depth } = worthOf(market, coinUsd);
  const change24h = percentBetween(day.dayAgo, market.price);
  return {
    chain,
    token,
    symbol,
    decimals,
    ...(price && { price: formatDecimal(price) }),
    ...(priceUsd && { priceUsd: formatDecimal(priceUsd) }),
    ...(depth && { liquidity: formatDecimal(depth) }),
    ...(change24h !== undefined && { change24h }),
    ...(day.volume && day.trades !== 0 && { volume24h: formatDecimal(day.volume) }),
    ...(pool && { quote: pool.quote }),
    flags,
    revision,
    block,
    asOf,
    ...(minutes.length > 0 && { minutes }),
  };
}

/** Describes a token that has no market, with the reason. */
export function recordWithoutMarket(
  { chain, token }: TokenName,
  flag: MarketRecord["flags"][number],
  { revision, head, nowMs }: { revision: number; head: { block: number } | undefined; nowMs: number },
): MarketRecord {
  const asOf = new Date(nowMs).toISOString();
  return { chain, token, flags: [flag], revision, block: head?.block ?? 0, asOf };
}

/**
 * Returns a minute candle for clients. Undefined if its conversion needs the coin's price and that price is unknown.
 */
export function minuteRecordOf(candle: Candle, coinUsd: Decimal | undefined): MinuteRecord | undefined {
  const converted = candleInCurrency(candle, "native", coinUsd);
  if (converted === undefined) return undefined;
  const { open, high, low, close, volume } = converted;
  return {
    time: new Date(candle.start * 1000).toISOString(),
    open: formatDecimal(open),
    high: formatDecimal(high),
    low: formatDecimal(low),
    close: formatDecimal(close),
    ...(volume && { volume: formatDecimal(volume) }),
    ...(candle.trades !== undefined && { trades: candle.trades }),
    ...(coinUsd && { coinUsd: formatDecimal(coinUsd) }),
    ...(candle.isFinal && { isFinal: true }),
    ...(candle.hasGaps && { hasGaps: true }),
    ...(candle.hasNewPool && { hasNewPool: true }),
  };
}
