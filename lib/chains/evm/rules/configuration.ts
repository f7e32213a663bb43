import type { ListedToken } from "../../../orders/token-identity.ts";
import type { PoolKey } from "./intent.ts";
import type { VenueOf } from "./swap-venues.ts";

/** The contracts of an exchange on a chain, by their addresses. */
export type EvmVenue = V2Contracts | V3Contracts | SlipstreamContracts | BinContracts;

type Contracts = {
  factory: string;
  router: string;
  /** True if the exchange's pools are only displayed, and orders do not trade with them. */
  displayOnly?: boolean;
};

export type V2Contracts = Contracts & { venue: VenueOf<"v2">; feeBps: number };
export type V3Contracts = Contracts & {
  venue: VenueOf<"v3">;
  quoter: string;
  /** Fees of the exchange's pools, in basis points. */
  tiers: readonly number[];
  /** The v2 exchange whose pools the same router can combine with its own pools in one swap, if there is one. */
  mixesWith?: VenueOf<"v2">;
};
export type SlipstreamContracts = Contracts & {
  venue: VenueOf<"slipstream">;
  quoter: string;
  tiers: readonly SpacedTier[];
};
export type BinContracts = Contracts & { venue: VenueOf<"bins">; tiers: readonly SpacedTier[] };

/** A tick spacing or a bin step, with the usual fee of such pools. */
export type SpacedTier = { spacing: number; feeBps: number };

/** A quote token: its pools are worth a second swap on a route. */
export type QuoteToken = {
  token: string;
  isStable: boolean;
  /** Pools that trade the quote token for the coin. */
  bridges: readonly PoolKey[];
};

/** The hosts, contracts and tokens of a chain. Addresses are in EIP-55 form. */
export type EvmConfiguration = {
  /** URLs of RPC hosts, in order of preference. The first two should belong to different operators. */
  hosts: readonly string[];
  /** The only URL to which protected transactions are sent. */
  relay?: string;
  /** The token that wraps the chain's coin. */
  wrapped: ListedToken;
  venues: readonly EvmVenue[];
  quoteTokens: readonly QuoteToken[];
  /** Tokens to list for users. Unlisted tokens can be traded too. */
  tokens: readonly ListedToken[];
  /** Limits the amount of a buy, in coins as decimal text. */
  maxOrder?: string;
  /** Limits the network fee of a transaction without its L1 fee, in coins as decimal text. */
  maxNetworkFee: string;
  /** Limits the network fees of a wallet's transactions in a day, in coins. By default ten times `maxNetworkFee`. */
  maxNetworkFeesPerDay?: string;
};
