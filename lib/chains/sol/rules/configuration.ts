import type { ListedToken } from "../../../orders/token-identity.ts";

/** A relay that hides transactions until they are in a block, in return for a tip. */
export type SolRelay = {
  url: string;
  /** The relay's tip accounts. No other accounts receive tips. */
  tipAccounts: readonly string[];
  /** Lowest tip that the relay accepts, in SOL as decimal text. */
  leastTip: string;
};

/** The URL of the Jupiter API that builds swaps. */
export type JupiterAccess = {
  /** The URL of the API's `build` method. */
  url: string;
  /** API key sent with each request. Jupiter limits requests without a key more strictly. */
  key?: string;
  /** Labels of the only exchanges on which Jupiter may trade. If absent, it may use all. */
  exchanges?: readonly string[];
};

/** The hosts and tokens of sol. Addresses are in base58. */
export type SolConfiguration = {
  /** URLs of RPC hosts, in order of preference. The first two should belong to different operators. */
  hosts: readonly string[];
  /** The first 32 characters of the hash of the cluster's first block. Hosts of a different cluster count as faulty. */
  cluster: string;
  /** The only relay for protected transactions. */
  relay?: SolRelay;
  wrapped: ListedToken;
  /**
   * Numbers of the only Raydium fee configurations whose pools are used. If absent, these are all of the first 16 that
   * exist.
   */
  cpmmConfigs?: readonly number[];
  /** The lookup table for trades on Pump's curves and PumpSwap. Absent if orders do not trade there. */
  pumpTable?: string;
  /** Tokens to list for users. Unlisted tokens can be traded too. */
  tokens: readonly ListedToken[];
  /** Limits the amount of a buy, in SOL as decimal text. */
  maxOrder?: string;
  /** Limits the fees of all transactions of an order, not counting base fees, in SOL as decimal text. */
  maxNetworkFee: string;
  /**
   * Limits the SOL that a wallet's transactions pay per day, including rents that stay in accounts. By default ten
   * times `maxNetworkFee`.
   */
  maxNetworkFeesPerDay?: string;
  /** The highest base fee per signature, in SOL as decimal text. */
  baseFee: string;
  /** Absent if orders trade only with Raydium CPMM pools. */
  jupiter?: JupiterAccess;
  /** An account with a large balance that simulations can name as their payer. */
  payer?: string;
};
