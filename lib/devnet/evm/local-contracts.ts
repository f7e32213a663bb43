/** A tick spacing or a bin step, with the usual fee of such pools. */
type SpacedTier = { spacing: number; feeBps: number };

type Contracts = { factory: string; router: string };

/** The contracts of an exchange. Fees are in basis points. */
export type LocalVenue =
  | (Contracts & { venue: "uniswap-v2"; feeBps: number })
  | (Contracts & {
      venue: "uniswap-v3" | "pancakeswap-v3";
      quoter: string;
      tiers: readonly number[];
      /** Its router also trades with the pools of this exchange. */
      mixesWith?: "uniswap-v2";
    })
  | (Contracts & { venue: "slipstream"; quoter: string; tiers: readonly SpacedTier[] })
  | (Contracts & { venue: "lfj-v2.1" | "lfj-v2.2"; tiers: readonly SpacedTier[] });

/** A pool of USDX and the coin. */
export type LocalBridge = { venue: LocalVenue["venue"]; feeBps: number; spacing?: number };

type ListedToken = { token: string; symbol: string; name: string; decimals: number };

/** The contracts of a local chain, without its URLs, which differ from run to run. Addresses are in EIP-55 form. */
export type LocalContracts = {
  /** The token that wraps the chain's coin. */
  wrapped: ListedToken;
  venues: readonly LocalVenue[];
  /** The tokens that trade for other tokens. */
  quoteTokens: readonly { token: string; isStable: boolean; bridges: readonly LocalBridge[] }[];
  tokens: readonly ListedToken[];
  /** The most coins that a transaction should pay the network. */
  maxNetworkFee: string;
};
