export const venueNames = ["coinbase", "kraken"] as const;

export type VenueName = (typeof venueNames)[number];

export type PriceFeed = {
  /** The `source` of its prices. */
  source: string;
  /** The venue whose protocol the feed uses. */
  venue: VenueName;
  /** `wss:`, or `ws:` on the local machine. */
  url: string;
};
