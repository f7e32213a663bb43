import type { Network } from "../core/network.ts";

/** Asset that each chain's fees are paid in. The service has prices of these assets. */
export const nativeAssets = {
  eth: "ETH",
  base: "ETH",
  sol: "SOL",
  bsc: "BNB",
  avax: "AVAX",
} as const satisfies Record<Network, string>;

export type Asset = (typeof nativeAssets)[Network];

/** The price of a chain's native asset. */
export type Price = {
  chain: Network;
  symbol: Asset;
  /** A decimal number as text, so that no digit is lost. */
  price: string;
  currency: "USD";
  /** Name of the venue, or `simulated`. */
  source: string;
  /** The venue's time, ISO 8601. */
  asOf: string;
};
