import { type TradingChain, tradingChains } from "../core/trading-chain.ts";
import { type ChainClient, chainClient } from "./chain-client.ts";
import type { ChainConfiguration, TradingConfiguration } from "./chain-configuration.ts";

/** A chain that trades, with its facts and its hosts. */
export type ChainReader = { chain: TradingChain; configuration: ChainConfiguration; client: ChainClient };

/**
 * Opens the chains that trade. Their clients remember which hosts failed, so a function opens them once for its whole
 * life.
 */
export function openChains(trading: TradingConfiguration): ReadonlyMap<TradingChain, ChainReader> {
  return new Map(
    tradingChains.flatMap((chain) => {
      const configuration = trading[chain];
      if (configuration === undefined) return [];
      const client = chainClient({ chain, hosts: configuration.hosts });
      return [[chain, { chain, configuration, client }] as const];
    }),
  );
}
