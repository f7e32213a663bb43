/** The kind of each exchange's pools and router. */
const venueKinds = {
  "uniswap-v2": "v2",
  "pancakeswap-v2": "v2",
  "uniswap-v3": "v3",
  "pancakeswap-v3": "v3",
  /**
   * Exchanges with v3 pools, which the router distinguishes by tick spacing. Aerodrome has deployed Slipstream three
   * times: first, then with caps of gauges, then with version 3 of gauges. A router trades only with pools of its set.
   */
  slipstream: "slipstream",
  "slipstream-caps": "slipstream",
  "slipstream-v3": "slipstream",
  /** Exchanges whose pools consist of bins with one price each. The step between bins distinguishes the pools. */
  "lfj-v2.1": "bins",
  "lfj-v2.2": "bins",
} as const;

/** An exchange with its own pools and router. */
export type SwapVenue = keyof typeof venueKinds;
export type VenueKind = (typeof venueKinds)[SwapVenue];

/** The exchanges of one kind. */
export type VenueOf<Kind extends VenueKind> = {
  [Venue in SwapVenue]: (typeof venueKinds)[Venue] extends Kind ? Venue : never;
}[SwapVenue];

export const swapVenues = Object.keys(venueKinds) as SwapVenue[];

export const kindOf = ({ venue }: { venue: SwapVenue }): VenueKind => venueKinds[venue];

export const venuesOf = <Kind extends VenueKind>(kind: Kind) =>
  swapVenues.filter((venue): venue is VenueOf<Kind> => kindOf({ venue }) === kind);

/**
 * True if the router for such a pool reverts a purchase that delivers less than the minimum. Other routers check only
 * what the pool pays, and a taxed token delivers less than that.
 */
export const checksArrival = (pool: { venue: SwapVenue }): boolean => ["v2", "bins"].includes(kindOf(pool));
