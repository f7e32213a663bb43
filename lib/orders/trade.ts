import type { GasPreset } from "../users/settings.ts";
import type { Order } from "./execution.ts";

/** The request's trade. Amounts are decimal text, and the token is in the form in which its family shows addresses. */
export type Trade = {
  side: Order["side"];
  token: string;
  /** The amount to spend. */
  amount?: string | undefined;
  /** Replaces the amount of a sale: a percentage of the available balance. */
  percent?: number | undefined;
};

/** A trade with its user's limits. Settings of the chain apply where a limit is absent. */
export type AskedTrade = Trade & {
  /** In percent. */
  slippage?: number | undefined;
  /** Replaces the slippage, as decimal text. */
  minAmountOut?: string | undefined;
  /** In percent; {@link defaultMaxPriceImpact} if absent. */
  maxPriceImpact?: number | undefined;
  gasPreset?: GasPreset | undefined;
  /** In gwei. */
  maxGasPrice?: number | undefined;
  /** In SOL. */
  priorityFee?: number | undefined;
  mevProtection?: boolean | undefined;
  allowUnsafe?: boolean | undefined;
};

/** In percent. */
export const defaultMaxPriceImpact = 15;
