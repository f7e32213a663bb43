/** The venues whose protocol is spoken here. */
export const venueNames = ["coinbase", "kraken"] as const;

export type VenueName = (typeof venueNames)[number];

/** Where prices come from. */
export type PriceFeed = {
  /** What each price says of where it comes from. */
  source: string;
  /** The protocol. */
  venue: VenueName;
  /** wss, or ws on the machine itself. */
  url: string;
};

/** Public, with no key. In order of preference: the next one is used while those before it are silent. */
export const defaultPriceFeeds: readonly PriceFeed[] = [
  { source: "coinbase", venue: "coinbase", url: "wss://ws-feed.exchange.coinbase.com" },
  { source: "kraken", venue: "kraken", url: "wss://ws.kraken.com/v2" },
];
