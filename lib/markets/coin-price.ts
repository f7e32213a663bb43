import type { TradingChain } from "../core/chain-facts.ts";
import { parseDecimal } from "../core/decimal.ts";
import type { Price } from "../prices/price.ts";
import type { CoinPrice } from "./core/coin-series.ts";

/** The price of a coin, and the exchange's own time for the price, in ISO 8601. */
export type LivePrice = CoinPrice & { asOf: string };

/** Age from which an exchange's last price no longer counts. */
const mostAgeMs = 60_000;

/** Finds the price of a chain's coin. Undefined if it is unknown or too old. */
export function coinPriceOf(prices: readonly Price[], chain: TradingChain, now: Date): LivePrice | undefined {
  const found = prices.find((price) => price.chain === chain);
  if (found === undefined || now.getTime() - Date.parse(found.asOf) > mostAgeMs) return undefined;
  const usd = parseDecimal(found.price);
  if (usd === undefined) return undefined;
  return { usd, source: found.source, asOf: found.asOf };
}
