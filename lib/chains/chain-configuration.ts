import type { V2Venue, V3Venue } from "../domain/trading/intent.ts";
import type { TradingChain } from "../domain/trading/trading-chain.ts";

/** The contracts of an exchange on a chain, by their addresses. */
export type ChainVenue = V2Contracts | V3Contracts;

export type V2Contracts = { venue: V2Venue; factory: string; router: string; feeBps: number };
export type V3Contracts = { venue: V3Venue; factory: string; router: string; quoter: string };

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
  /** The most coins that a buy may spend, as decimal text. */
  maxOrder?: string;
};

/** The chains that trade. */
export type TradingConfiguration = { readonly [Chain in TradingChain]?: ChainConfiguration };
