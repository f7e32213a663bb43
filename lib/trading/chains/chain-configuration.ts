import type { PoolKey, VenueOf } from "../core/intent.ts";
import type { EvmChain } from "../core/trading-chain.ts";

/** The contracts of an exchange on a chain, by their addresses. */
export type ChainVenue = V2Contracts | V3Contracts | SlipstreamContracts | BinContracts;

type Contracts = {
  factory: string;
  router: string;
  /** True if its pools are only shown: no order trades with them. */
  displayOnly?: boolean;
};

export type V2Contracts = Contracts & { venue: VenueOf<"v2">; feeBps: number };
export type V3Contracts = Contracts & {
  venue: VenueOf<"v3">;
  quoter: string;
  /** The fees of its pools, in basis points. */
  tiers: readonly number[];
  /** The v2 venue whose pools the same router trades in one swap with its own, if it can. */
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

/** A token whose pools are worth a second swap. */
export type QuoteToken = {
  token: string;
  isStable: boolean;
  /** The pools that trade it for the coin. */
  bridges: readonly PoolKey[];
};

export type ListedToken = { token: string; symbol: string; name: string; decimals: number };

/** The hosts, contracts and tokens of a chain. Addresses are in EIP-55 form. */
export type ChainConfiguration = {
  /** URLs of RPC hosts, in order of preference. The first two should belong to different operators. */
  hosts: readonly string[];
  /** The only URL that receives protected transactions. */
  relay?: string;
  /** The token that wraps the chain's coin. */
  wrapped: ListedToken;
  venues: readonly ChainVenue[];
  quoteTokens: readonly QuoteToken[];
  /** The tokens shown to users. Others can be traded too. */
  tokens: readonly ListedToken[];
  /** The most coins that a buy may spend, as decimal text. */
  maxOrder?: string;
  /** The most coins that a transaction may pay the network, as decimal text, without an L1 fee. */
  maxNetworkFee: string;
  /** The most coins that a wallet's transactions of a day may pay. By default ten times `maxNetworkFee`. */
  maxNetworkFeesPerDay?: string;
};

/** A sender that keeps transactions out of the public, for a tip. */
export type SolRelay = {
  url: string;
  /** The only accounts that may get its tips. */
  tipAccounts: readonly string[];
  /** The lowest tip that it accepts, in SOL as decimal text. */
  leastTip: string;
};

/** Where Jupiter builds swaps. */
export type JupiterAccess = {
  /** The URL of its method `build`. */
  url: string;
  /** Is sent with each request. Without one, Jupiter answers less often. */
  key?: string;
};

/** The hosts and tokens of sol. Addresses are in base58. */
export type SolConfiguration = {
  /** URLs of RPC hosts, in order of preference. The first two should belong to different operators. */
  hosts: readonly string[];
  /** The first 32 characters of the hash of the cluster's first block. Hosts of another cluster count as faulty. */
  cluster: string;
  /** The only one that receives protected transactions. */
  relay?: SolRelay;
  wrapped: ListedToken;
  /** The numbers of Raydium's configurations of fees whose pools are looked for. */
  cpmmConfigs: readonly number[];
  /** The tokens shown to users. Others can be traded too. */
  tokens: readonly ListedToken[];
  /** The most SOL that a buy may spend, as decimal text. */
  maxOrder?: string;
  /** The most SOL that all transactions of an order may pay beside their base fees, as decimal text. */
  maxNetworkFee: string;
  /** The most SOL that a wallet's transactions of a day may pay, with rents that stay. By default ten times `maxNetworkFee`. */
  maxNetworkFeesPerDay?: string;
  /** The highest base fee of a signature, in SOL as decimal text. */
  baseFee: string;
  /** Absent if orders trade with pools of Raydium CPMM alone. */
  jupiter?: JupiterAccess;
  /** A rich account that anybody can name as the payer of a simulation. */
  payer?: string;
};

/** The chains on which trading is on. */
export type TradingConfiguration = { readonly [Chain in EvmChain]?: ChainConfiguration } & {
  readonly sol?: SolConfiguration;
};
