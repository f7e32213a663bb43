import type { TradingChain } from "../core/chain-facts.ts";

/** What an operator sets about earnings. All numbers are whole and below 2^53. */
export type EarningRules = {
  /** XP for a dollar of a fill, in millionths. */
  microXpPerDollar: number;
  /** Points for a dollar of a buy of a listed token, in millionths. */
  microPointsPerDollar: number;
  /** Most XP and points that a user's own trades earn in a UTC day. Shares have the same caps once more. */
  xpPerDay: number;
  pointsPerDay: number;
  /** Referrer's share of what is credited to a user, in millionths: at most a tenth. */
  microShare: number;
  /** Level and number of trading days from which a user is ranked. */
  rankedLevel: number;
  rankedDays: number;
  /** Addresses of the listed tokens. */
  tokens: Readonly<Partial<Record<TradingChain, readonly string[]>>>;
};
