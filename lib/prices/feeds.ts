export const venueNames = ["coinbase", "kraken"] as const;

export type VenueName = (typeof venueNames)[number];

export type PriceFeed = {
  /** Value of `source` in the prices of this feed. */
  source: string;
  /** Venue whose protocol the feed uses. */
  venue: VenueName;
  /** Address of the feed: `wss:`, or `ws:` on the local machine. */
  url: string;
};
