import type { GasPreset } from "../users/settings.ts";
import type { Order } from "./execution.ts";
import type { GivenExit } from "./resting/exits/given.ts";

/**
 * The trade that a request asks for. Amounts are decimal text, and the token's address is in the form in which its
 * family shows addresses.
 */
export type Trade = {
  side: Order["side"];
  token: string;
  /** Amount to spend. */
  amount?: string | undefined;
  /** Percentage of the available balance, which replaces the amount of a sale. */
  percent?: number | undefined;
  /** The only pool to trade in, which discovery need not find. */
  pool?: string | undefined;
};

/** A trade with its user's limits. For a limit that is absent, the user's setting for the chain applies. */
export type AskedTrade = Trade & {
  /** Slippage in percent. */
  slippage?: number | undefined;
  /** Minimum output as decimal text, which replaces the slippage. */
  minAmountOut?: string | undefined;
  /** Highest price impact, in percent. By default {@link defaultMaxPriceImpact}. */
  maxPriceImpact?: number | undefined;
  gasPreset?: GasPreset | undefined;
  /** Highest gas price, in gwei. */
  maxGasPrice?: number | undefined;
  /** Amount in SOL. */
  priorityFee?: number | undefined;
  mevProtection?: boolean | undefined;
  allowUnsafe?: boolean | undefined;
  /** Lifetime of the order. By default that of its family. */
  validForSeconds?: number | undefined;
  /** Orders that rest once a buy has filled. */
  exits?: readonly GivenExit[] | undefined;
};

/** Default limit for the price impact, in percent. */
export const defaultMaxPriceImpact = 15;
