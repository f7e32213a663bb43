import { networks } from "../../lib/domain/network.ts";
import { nativeAssets, type Price } from "../../lib/domain/price.ts";

/** Prices of that time: five, as the service tells them, and none a real one. */
export const pricesAsOf = (asOf: string): Price[] =>
  networks.map((chain) => ({
    chain,
    symbol: nativeAssets[chain],
    price: (1000 + Math.random() * 1000).toFixed(2),
    currency: "USD",
    source: "benchmark",
    asOf,
  }));

/** The message that the service makes of them. */
export const messageOf = (prices: readonly Price[]): string =>
  JSON.stringify({ type: "update", channel: "prices", time: new Date().toISOString(), data: prices });
