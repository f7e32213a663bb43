import type { DomainError } from "../domain-error.ts";
import type { Order } from "../execution.ts";
import type { GasPreset } from "../settings.ts";
import type { PlannedGas } from "./fees.ts";
import type { Fees, LaneKey, Route } from "./intent.ts";
import type { TokenFlag } from "./token-flag.ts";
import type { TokenIdentity } from "./token-identity.ts";
import type { TokenSafety } from "./token-safety.ts";
import type { TradeOrder } from "./trade-order.ts";

/** What is to be traded. Amounts are decimal text, the token in EIP-55 form. */
export type Trade = {
  side: Order["side"];
  token: string;
  /** What is to be spent. */
  amount?: string | undefined;
  /** Instead of an amount of a sale: the share of what is available. */
  percent?: number | undefined;
};

/** A trade with what its user allows. What is absent comes from the settings of the chain. */
export type AskedTrade = Trade & {
  /** Percent. */
  slippage?: number | undefined;
  /** Instead of the slippage, as decimal text. */
  minAmountOut?: string | undefined;
  /** Percent: {@link defaultMaxPriceImpact} if absent. */
  maxPriceImpact?: number | undefined;
  gasPreset?: GasPreset | undefined;
  /** Gwei. */
  maxGasPrice?: number | undefined;
  mevProtection?: boolean | undefined;
  allowUnsafe?: boolean | undefined;
};

/** Percent. */
export const defaultMaxPriceImpact = 15;

/** What hosts are asked of a trade. */
export type QuoteQuestion = LaneKey & {
  trade: Trade;
  gasPreset: GasPreset;
  /** The wallet's orders, of which the open ones reserve what they will spend. */
  orders: readonly TradeOrder[];
};

/** What one host says of a trade at one block. Amounts are in units. */
export type TradeFacts = {
  block: { number: number; time: number };
  identity: TokenIdentity;
  /** What would be spent, and what would arrive. */
  amount: bigint;
  amountOut: bigint;
  /** Percent. */
  priceImpact: number;
  route: Route & { pool: string };
  /** Those still needed: approvals, then the swap. */
  transactions: readonly PlannedGas[];
  /** By the preset, not yet capped. */
  fees: Fees;
  /** Of the next block. */
  baseFee: bigint;
  safety: TokenSafety;
  flags: readonly TokenFlag[];
  /** What the wallet has. Absent without a wallet. */
  held?: { coins: bigint; tokens: bigint };
};

/** Why no host would quote a trade, a host's facts, or nothing from a host that gave no clear answer. */
export type HostQuote = TradeFacts | DomainError | undefined;
