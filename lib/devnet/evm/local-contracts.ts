/** A tick spacing or bin step, with the usual fee of pools that use it. */
type SpacedTier = { spacing: number; feeBps: number };

type Contracts = { factory: string; router: string };

/** Contracts of an exchange. Fees are in basis points. */
export type LocalVenue =
  | (Contracts & { venue: "uniswap-v2"; feeBps: number })
  | (Contracts & {
      venue: "uniswap-v3" | "pancakeswap-v3";
      quoter: string;
      tiers: readonly number[];
      /** Another exchange whose pools this router can also use. */
      mixesWith?: "uniswap-v2";
    })
  | (Contracts & {
      venue: "slipstream" | "slipstream-caps" | "slipstream-v3";
      quoter: string;
      tiers: readonly SpacedTier[];
    })
  | (Contracts & { venue: "lfj-v2.1" | "lfj-v2.2"; tiers: readonly SpacedTier[] });

/** A pool of USDX and the coin. */
export type LocalBridge = { venue: LocalVenue["venue"]; feeBps: number; spacing?: number };

type ListedToken = { token: string; symbol: string; name: string; decimals: number };

/** Contracts of a local chain, with EIP-55 addresses. URLs are left out, because they change from run to run. */
export type LocalContracts = {
  /** Token that wraps the chain's coin. */
  wrapped: ListedToken;
  venues: readonly LocalVenue[];
  /** Tokens that other tokens trade against. */
  quoteTokens: readonly { token: string; isStable: boolean; bridges: readonly LocalBridge[] }[];
  tokens: readonly ListedToken[];
  /** Highest network fee of a transaction, in coins. */
  maxNetworkFee: string;
};
