import { networks } from "../../lib/core/network.ts";
import { nativeAssets, type Price } from "../../lib/prices/price.ts";

/** Builds five made-up prices at this time, in the service's format. */
export const pricesAsOf = (asOf: string): Price[] =>
  networks.map((chain) => ({
    chain,
    symbol: nativeAssets[chain],
    price: (1000 + Math.random() * 1000).toFixed(2),
    currency: "USD",
    source: "benchmark",
    asOf,
  }));

/** Builds the service's message with these prices. */
export const messageOf = (prices: readonly Price[]): string =>
  JSON.stringify({ type: "update", channel: "prices", time: new Date().toISOString(), data: prices });
