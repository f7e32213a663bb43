import type { ListedToken } from "../../../orders/token-identity.ts";

/** A relay that hides transactions until they are in a block, in return for a tip. */
export type SolRelay = {
  url: string;
  /** The relay's tip accounts. No others get tips. */
  tipAccounts: readonly string[];
  /** Lowest tip that the relay accepts, in SOL as decimal text. */
  leastTip: string;
};

/** The URL of Jupiter's API that builds swaps. */
export type JupiterAccess = {
  /** The URL of its method `build`. */
  url: string;
  /** API key sent with each request. Jupiter limits requests without a key more strictly. */
  key?: string;
};

/** The hosts and tokens of sol. Addresses are in base58. */
export type SolConfiguration = {
  /** URLs of RPC hosts, in order of preference. The first two should belong to different operators. */
  hosts: readonly string[];
  /** The first 32 characters of the hash of the cluster's first block. Hosts of another cluster count as faulty. */
  cluster: string;
  /** The only relay for protected transactions. */
  relay?: SolRelay;
  wrapped: ListedToken;
  /** Numbers of Raydium's fee configurations whose pools are considered. */
  cpmmConfigs: readonly number[];
  /** Tokens to list for users. Unlisted tokens can be traded too. */
  tokens: readonly ListedToken[];
  /** Limits the amount of a buy, in SOL as decimal text. */
  maxOrder?: string;
  /** Limits the fees of all transactions of an order without their base fees, in SOL as decimal text. */
  maxNetworkFee: string;
  /**
   * Limits the SOL that a wallet's transactions pay in a day, including rents that stay in accounts. By default ten
   * times `maxNetworkFee`.
   */
  maxNetworkFeesPerDay?: string;
  /** The highest base fee of a signature, in SOL as decimal text. */
  baseFee: string;
  /** Absent if orders trade with pools of Raydium CPMM alone. */
  jupiter?: JupiterAccess;
  /** A rich account that can be named as the payer of simulations. */
  payer?: string;
};
