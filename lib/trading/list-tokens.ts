import type { ChainReader, Chains } from "../chains/families/open-chains.ts";
import { chainFacts, type TradingChain } from "../core/chain-facts.ts";
import type { Network } from "../core/network.ts";
import { chainFor, listedTokens } from "../orders/requests.ts";
import { nativeToken } from "../orders/trading-chain.ts";

export type Token = {
  chain: TradingChain;
  token: string;
  symbol: string;
  name: string;
  decimals: number;
  wrapped?: true;
  /** Warnings about the token. Present only in search results. */
  listed?: boolean;
  flags?: ("IMPERSONATES" | "NEW")[];
};

/**
 * Lists the tokens shown to users, on one chain or on all chains on which this deployment trades.
 *
 * @throws {DomainError} UNSUPPORTED_CHAIN
 */
export function listTokens(chains: Chains, chain?: Network): { tokens: Token[] } {
  const readers = chain === undefined ? [...chains.values()] : [chainFor(chains, chain)];
  return { tokens: readers.flatMap(tokensOf) };
}

function tokensOf({ chain, configuration }: ChainReader): Token[] {
  const { wrapped } = configuration;
  const others = listedTokens(configuration).map((listed): Token => {
    const { token, symbol, name, decimals } = listed;
    return { chain, token, symbol, name, decimals, ...(token === wrapped.token && { wrapped: true }) };
  });
  return [{ chain, token: nativeToken, ...chainFacts[chain].coin }, ...others];
}
