import type { EvmChain } from "../../../core/chain-facts.ts";
import type { TokenNames } from "../../../orders/token-likeness.ts";
import type { EvmClient } from "../calls/hosts.ts";
import type { EvmConfiguration } from "../rules/configuration.ts";

/** A chain of Ethereum's family that trades, with its facts and its hosts. */
export type EvmReader = {
  family: "evm";
  chain: EvmChain;
  configuration: EvmConfiguration;
  client: EvmClient;
  /**
   * Names of the coins and listed tokens of all chains. If absent, imitations are detected only for this chain's names.
   */
  taken?: readonly TokenNames[];
};
