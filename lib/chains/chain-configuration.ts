import type { TradingChain } from "../domain/trading/trading-chain.ts";

/** Venues whose pools follow Uniswap v2, with one fee for all of their pools. */
export const v2Venues = ["uniswap-v2", "pancakeswap-v2"] as const;

/** Venues whose pools follow Uniswap v3, one for each fee. */
export const v3Venues = ["uniswap-v3"] as const;

/** The contracts of an exchange on a chain, by their addresses. */
export type ChainVenue =
  | { venue: (typeof v2Venues)[number]; factory: string; router: string; feeBps: number }
  | { venue: (typeof v3Venues)[number]; factory: string; router: string; quoter: string };

export type ListedToken = { token: string; symbol: string; name: string; decimals: number };

/** What the service reaches on a chain. Addresses are in EIP-55 form. */
export type ChainConfiguration = {
  /** URLs of RPC hosts, in order of preference. The first two should be different operators'. */
  hosts: readonly string[];
  /** The URL to which protected transactions go, and nowhere else. */
  relay?: string;
  /** The token that stands for the chain's coin. */
  wrapped: ListedToken;
  venues: readonly ChainVenue[];
  /** The tokens that users are shown. Others can be traded too. */
  tokens: readonly ListedToken[];
};

/** The chains that trade. */
export type TradingConfiguration = { readonly [Chain in TradingChain]?: ChainConfiguration };
