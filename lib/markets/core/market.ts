import type { PoolVenue } from "../../chains/families/venue.ts";
import type { TradingChain } from "../../core/chain-facts.ts";
import { type Decimal, decimalOf, zero } from "../../core/decimal.ts";
import type { CandlePool, SwapSums } from "./candle.ts";

/** Warnings about a market. They do not change any figure. */
export const marketFlags = ["THIN", "STALE", "GAPS", "NO_POOL", "TOO_MANY_TOKENS"] as const;

export type MarketFlag = (typeof marketFlags)[number];

/** Names a token on a chain. The address has the form that is used in responses. */
export type TokenName = { chain: TradingChain; token: string };

/** Returns a token's name as one text, for maps and sets. */
export const nameOf = ({ chain, token }: TokenName): string => `${chain} ${token}`;

/** A pool whose price can be read. */
export type MarketPool = CandlePool & {
  venue: PoolVenue;
  feeBps: number;
  /** Coins that are actually paid for the largest sale with an impact of at most 2 %. */
  depth: Decimal;
};

/** A token's identity as its contract states it. */
export type MarketToken = TokenName & {
  symbol: string;
  name: string;
  decimals: number;
  /** Supply in whole tokens. Absent if the contract does not state it. */
  supply?: Decimal;
};

/** Reads the supply that a token claims. Undefined means unknown, which differs from 0. */
export const supplyIn = (
  { totalSupply }: { totalSupply: bigint | undefined },
  decimals: number,
): Pick<MarketToken, "supply"> =>
  totalSupply === undefined ? {} : { supply: decimalOf(totalSupply, -decimals) };

/** A pool that can be the reference pool of its token, with its price. */
export type PricedPool = MarketPool & { price: Decimal };

/** A token and the pools that can be its reference pool, starting with the one that is, or else with the deepest. */
export type TokenPools<Pool extends PricedPool = PricedPool> = {
  token: MarketToken;
  pools: readonly Pool[];
  block: { number: number; time: number };
};

/**
 * Finds a token with its pools, the reference pool first. Undefined if the address is not a token.
 *
 * @param last The reference pool that a reader has stored lately.
 */
export type FindPools = (
  token: string,
  nowMs: number,
  last: string | undefined,
) => Promise<TokenPools | undefined>;

/** Prices and sums of the last 24 hours, in the quote of the pool. Prices are absent if there is no candle. */
export type DayStatistics = SwapSums & {
  /** Closes of one hour ago and of 24 hours ago, or else the oldest known close. */
  hourAgo?: Decimal;
  dayAgo?: Decimal;
  high?: Decimal;
  low?: Decimal;
};

/** State of the history: the 24 hours before somebody first wanted the token, read from logs. */
export type HistoryState = "loading" | "complete" | "unavailable";

/** The state of a token's market at a block. */
export type Market = MarketToken & {
  /** The reference pool, from which all prices are taken. Absent if the market has the flag `NO_POOL`. */
  pool?: MarketPool;
  /** Number of pools that could be the reference pool. */
  pools: number;
  /** Price in the pool's quote token. */
  price?: Decimal;
  block: number;
  /** Time of the block, in epoch seconds. */
  blockTime: number;
  /** Time when the market was read, in ISO 8601. */
  asOf: string;
  /** Grows when a reorganisation of the chain has revoked candles that were already shown. */
  revision: number;
  day: DayStatistics;
  /** True if minute candles of the last 24 hours have gaps. */
  hasGaps: boolean;
  history: HistoryState;
  /** Time when somebody first wanted the token, in ISO 8601. */
  firstSeenAt: string;
};

type Circumstances = Pick<Market, "revision" | "history" | "asOf" | "firstSeenAt">;

/** Builds the market of a token from the current state of its pools, without the figures of the last day. */
export function marketNow({ token, pools, block }: TokenPools, circumstances: Circumstances): Market {
  const [best] = pools;
  return {
    ...token,
    ...(best && { pool: marketPoolOf(best), price: best.price }),
    pools: pools.length,
    block: block.number,
    blockTime: block.time,
    day: { volume: zero, trades: 0 },
    hasGaps: false,
    ...circumstances,
  };
}

/** Returns a pool without the fields that only one family has. */
export const marketPoolOf = ({ pool, quote, venue, feeBps, depth }: MarketPool): MarketPool => ({
  pool,
  quote,
  venue,
  feeBps,
  depth,
});
