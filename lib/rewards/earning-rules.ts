import type { TradingChain } from "../core/chain-facts.ts";

/** The rules by which trades earn. All numbers are whole and below 2^53. */
export type EarningRules = {
  /** XP for a dollar of a fill, in millionths. */
  microXpPerDollar: number;
  /** Points for a dollar of a buy of a listed token, in millionths. */
  microPointsPerDollar: number;
  /** Caps of what a user's own trades earn in a UTC day. All shares of a referrer together have the same caps. */
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
