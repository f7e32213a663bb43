import type { TokenNames } from "../core/token-likeness.ts";
import {
  chainFacts,
  type EvmChain,
  evmChains,
  type TradingChain,
  tradingChains,
} from "../core/trading-chain.ts";
import { type ChainClient, chainClient } from "./chain-client.ts";
import type { ChainConfiguration, SolConfiguration, TradingConfiguration } from "./chain-configuration.ts";
import type { JupiterClient, OpenJupiter } from "./sol/jupiter-client.ts";
import { type SolClient, solClient } from "./sol/sol-client.ts";

/** A chain of Ethereum's family that trades, with its facts and its hosts. */
export type EvmReader = {
  chain: EvmChain;
  configuration: ChainConfiguration;
  client: ChainClient;
  /** The names of the coins and the listed tokens of all chains. If absent, only its own count as taken. */
  taken?: readonly TokenNames[];
};

export type SolReader = {
  chain: "sol";
  configuration: SolConfiguration;
  client: SolClient;
  taken?: readonly TokenNames[];
  /** Absent if orders trade with pools of Raydium CPMM alone. */
  jupiter?: JupiterClient | undefined;
  /** Receives the reason why an answer of Jupiter cannot be used. Orders then do without it. */
  onJupiterFault: (fault: unknown) => void;
};

/** A chain that trades. Its name tells its family. */
export type ChainReader = EvmReader | SolReader;

/**
 * Opens the chains that trade. Their clients remember which hosts failed, so a function opens them once for its whole
 * life.
 *
 * @param openJupiter Left out, with its code, by functions that never ask Jupiter.
 */
export function openChains(
  trading: TradingConfiguration,
  openJupiter?: OpenJupiter,
): ReadonlyMap<TradingChain, ChainReader> {
  const { sol } = trading;
  const taken = namesIn(trading);
  return new Map<TradingChain, ChainReader>([
    ...openEvmChains(trading, taken),
    ...(sol === undefined ? [] : [["sol", { ...openSol(sol, openJupiter), taken }] as const]),
  ]);
}

/** Lists the names of the coins and the listed tokens of all chains. */
const namesIn = (trading: TradingConfiguration): TokenNames[] =>
  tradingChains.flatMap((chain) => {
    const configuration = trading[chain];
    return configuration ? [chainFacts[chain].coin, configuration.wrapped, ...configuration.tokens] : [];
  });

const openSol = (configuration: SolConfiguration, openJupiter: OpenJupiter | undefined): SolReader => {
  const { jupiter } = configuration;
  return {
    ...{ chain: "sol", configuration, client: solClient(configuration), onJupiterFault() {} },
    ...(jupiter && openJupiter?.(jupiter)),
  };
};

/** Opens the chains on which orders are executed. */
export function openEvmChains(
  trading: TradingConfiguration,
  taken = namesIn(trading),
): ReadonlyMap<EvmChain, EvmReader> {
  return new Map(
    evmChains.flatMap((chain) => {
      const configuration = trading[chain];
      if (configuration === undefined) return [];
      const client = chainClient({ chain, hosts: configuration.hosts });
      return [[chain, { chain, configuration, client, taken }] as const];
    }),
  );
}
