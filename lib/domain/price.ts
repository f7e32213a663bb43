import type { Network } from "./network.ts";

/** What each chain's fees are paid in, which is what its price is of. */
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
  /** A decimal number as text, so that none of it is lost. */
  price: string;
  currency: "USD";
  /** Who says so: the name of a venue, or `simulated`. */
  source: string;
  /** When the venue said it, ISO 8601. */
  asOf: string;
};
