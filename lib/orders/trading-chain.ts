import { chainFacts, type TradingChain } from "../core/chain-facts.ts";
import type { CoinUnits } from "../core/units.ts";

/** Means the chain's native coin where a token's address is expected. */
export const nativeToken = "native";

/** Returns the name of the pair of a token and the chain's coin, and both symbols. */
export function pairNames(chain: TradingChain, baseSymbol: string) {
  const quoteSymbol = chainFacts[chain].coin.symbol;
  return { symbol: `${baseSymbol}/${quoteSymbol}`, baseSymbol, quoteSymbol };
}

/** Returns the names of a stored pair. Earlier versions did not store the token's own symbol. */
export const storedNames = (
  chain: TradingChain,
  { symbol, baseSymbol }: { symbol: string; baseSymbol?: string },
) => (baseSymbol === undefined ? { symbol } : pairNames(chain, baseSymbol));

/** The operators' limits for a chain. */
export type ChainLimits<Units extends bigint = CoinUnits> = {
  /** Limits the amount of a buy. */
  maxOrder?: Units | undefined;
  /**
   * Limits the network fee of one transaction, or of all transactions of an order if they share a limit. Fees that
   * nobody can limit do not count.
   */
  maxNetworkFee: Units;
  /** Limits the network fees that a wallet's transactions pay per day. By default ten times `maxNetworkFee`. */
  maxNetworkFeesPerDay?: Units | undefined;
};
