import type { Network } from "../core/network.ts";

/** Assets in which the chains' fees are paid. The service has prices of these assets. */
export const nativeAssets = {
  eth: "ETH",
  base: "ETH",
  sol: "SOL",
  bsc: "BNB",
  avax: "AVAX",
} as const satisfies Record<Network, string>;

export type Asset = (typeof nativeAssets)[Network];

/** Price of a chain's native asset. */
export type Price = {
  chain: Network;
  symbol: Asset;
  /** Price as decimal text, so that no digits are lost. */
  price: string;
  currency: "USD";
  /** Name of the venue, or `simulated`. */
  source: string;
  /** Time of the price by the venue's clock, ISO 8601. */
  asOf: string;
};
