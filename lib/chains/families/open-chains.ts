import {
  chainFacts,
  type EvmChain,
  evmChains,
  type TradingChain,
  tradingChains,
} from "../../core/chain-facts.ts";
import type { TokenNames } from "../../orders/token-likeness.ts";
import { evmClient } from "../evm/calls/hosts.ts";
import type { EvmReader } from "../evm/venues/reader.ts";
import type { ToKeyedText } from "../hosts/keyed-text.ts";
import { solClient } from "../sol/calls/hosts.ts";
import type { SolConfiguration } from "../sol/rules/configuration.ts";
import type { OpenJupiter } from "../sol/venues/jupiter-client.ts";
import type { SolReader } from "../sol/venues/reader.ts";
import type { TradingConfiguration } from "./configuration.ts";
import type { Family } from "./family.ts";

type Readers = { evm: EvmReader; sol: SolReader };

/** A chain that trades, of the given families. */
export type FamilyReader<F extends Family> = { [Each in F]: Readers[Each] & { family: Each } }[F];

/** A chain that trades, of any family. */
export type ChainReader = FamilyReader<Family>;

export type Chains = ReadonlyMap<TradingChain, ChainReader>;

/**
 * Opens the chains that trade. Their clients remember which hosts failed, so a function opens them once for its whole
 * life.
 *
 * @param openJupiter Omitted by functions that never ask Jupiter, so that they do not load its code.
 * @param keyed Fills keys into the texts of the configuration that name some.
 */
export function openChains(
  trading: TradingConfiguration,
  openJupiter?: OpenJupiter,
  keyed: ToKeyedText = (text) => text,
): ReadonlyMap<TradingChain, ChainReader> {
  const { sol } = trading;
  const taken = namesIn(trading);
  return new Map<TradingChain, ChainReader>([
    ...openEvmChains(trading, keyed, taken),
    ...(sol === undefined ? [] : [["sol", { ...openSol(sol, openJupiter, keyed), taken }] as const]),
  ]);
}

/** Lists the names of the coins and the listed tokens of all chains. */
const namesIn = (trading: TradingConfiguration): TokenNames[] =>
  tradingChains.flatMap((chain) => {
    const configuration = trading[chain];
    return configuration ? [chainFacts[chain].coin, configuration.wrapped, ...configuration.tokens] : [];
  });

const openSol = (
  configuration: SolConfiguration,
  openJupiter: OpenJupiter | undefined,
  keyed: ToKeyedText,
): FamilyReader<"sol"> => {
  const { jupiter } = configuration;
  return {
    family: "sol",
    chain: "sol",
    configuration,
    client: solClient({ ...configuration, hosts: configuration.hosts.map(keyed) }),
    keyed,
    onJupiterFault() {},
    ...(jupiter && openJupiter?.(jupiter, keyed)),
  };
};

/** Opens the chains on which orders are executed. */
export function openEvmChains(
  trading: TradingConfiguration,
  keyed: ToKeyedText = (text) => text,
  taken = namesIn(trading),
): ReadonlyMap<EvmChain, FamilyReader<"evm">> {
  return new Map(
    evmChains.flatMap((chain) => {
      const configuration = trading[chain];
      if (configuration === undefined) return [];
      const client = evmClient({ chain, hosts: configuration.hosts.map(keyed) });
      return [[chain, { family: "evm", chain, configuration, client, keyed, taken }] as const];
    }),
  );
}
