import type { TradingChain } from "../../core/chain-facts.ts";
import type { MarketFlag } from "./market.ts";

/**
 * A minute candle of a market as clients get it. Prices are in the chain's coin; multiplied by `coinUsd`, they are in
 * dollars.
 */
export type MinuteRecord = {
  /** Start of the minute, in ISO 8601. */
  time: string;
  open: string;
  high: string;
  low: string;
  close: string;
  /** Absent, with `trades`, if the swaps have not been counted. */
  volume?: string;
  trades?: number;
  /** The coin's price in dollars at the end of the minute, or the current one. Absent if no feed knew the price. */
  coinUsd?: string;
  isFinal?: true;
  hasGaps?: true;
  hasNewPool?: true;
};

/** A market as clients get it on the stream. The record with the higher `revision`, then `block`, is the newer one. */
export type MarketRecord = {
  chain: TradingChain;
  token: string;
  symbol?: string;
  decimals?: number;
  /** Price of a token in the chain's coin. */
  price?: string;
  priceUsd?: string;
  /** Coins that are actually paid for the largest sale with an impact of at most 2 %. */
  liquidity?: string;
  /** Price change in percent. */
  change24h?: number;
  /** Volume in the pool's quote token. */
  volume24h?: string;
  /** The pool's other token: `native`, or the address of a stable token. */
  quote?: string;
  flags: readonly MarketFlag[];
  revision: number;
  block: number;
  /** Time when the market was read, in ISO 8601. */
  asOf: string;
  /** Changed minute candles, for connections that asked for the token's candles. */
  minutes?: readonly MinuteRecord[];
};

/** The newest block that was read on each chain that has tokens in a message. */
export type MarketHeads = { readonly [Chain in TradingChain]?: { block: number; time: string } };
