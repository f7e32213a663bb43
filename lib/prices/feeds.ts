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
