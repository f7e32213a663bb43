export const venueNames = ["coinbase", "kraken"] as const;

export type VenueName = (typeof venueNames)[number];

export type PriceFeed = {
  /** The `source` of each price. */
  source: string;
  /** The venue whose protocol the feed speaks. */
  venue: VenueName;
  /** `wss:`, or `ws:` on the local machine. */
  url: string;
};

/** Public feeds that need no API key, in order of preference: the next one is used while those before it are silent. */
export const defaultPriceFeeds: readonly PriceFeed[] = [
  { source: "coinbase", venue: "coinbase", url: "wss://ws-feed.exchange.coinbase.com" },
  { source: "kraken", venue: "kraken", url: "wss://ws.kraken.com/v2" },
];
