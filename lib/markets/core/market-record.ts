import type { TradingChain } from "../../core/chain-facts.ts";
import type { MarketFlag } from "./market.ts";

/** A minute of a market as clients get it. Prices are in the chain's coin; times `coinUsd`, they are in dollars. */
export type MinuteRecord = {
  /** The start, ISO 8601. */
  time: string;
  open: string;
  high: string;
  low: string;
  close: string;
  volume: string;
  trades: number;
  /** The coin's price in dollars at the end of the minute, or now. Absent if no feed knew it. */
  coinUsd?: string;
  isFinal?: true;
  hasGaps?: true;
  hasNewPool?: true;
};

/** A market as the stream brings it. The one with the greater `revision`, then `block`, is the newer one. */
export type MarketRecord = {
  chain: TradingChain;
  token: string;
  symbol?: string;
  decimals?: number;
  /** The price of a token in the chain's coin. */
  price?: string;
  priceUsd?: string;
  /** The coins that a sale really gets at an impact of at most 2 %. */
  liquidity?: string;
  /** Percent. */
  change24h?: number;
  /** In the pool's quote token. */
  volume24h?: string;
  /** The other token of the pool: `native`, or the address of a stable token. */
  quote?: string;
  flags: readonly MarketFlag[];
  revision: number;
  block: number;
  /** ISO 8601. */
  asOf: string;
  /** Changed minutes, for connections that asked for candles of the token. */
  minutes?: readonly MinuteRecord[];
};

/** The newest block that was read of each chain whose tokens a message has. */
export type MarketHeads = { readonly [Chain in TradingChain]?: { block: number; time: string } };
