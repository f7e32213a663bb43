import type { EvmChain } from "../../../core/chain-facts.ts";
import type { TokenNames } from "../../../orders/token-likeness.ts";
import type { ToKeyedText } from "../../hosts/keyed-text.ts";
import type { EvmClient } from "../calls/hosts.ts";
import type { EvmConfiguration } from "../rules/configuration.ts";

/** An EVM chain that trades, with its configuration and its hosts. */
export type EvmReader = {
  family: "evm";
  chain: EvmChain;
  configuration: EvmConfiguration;
  client: EvmClient;
  /** Fills keys into the relay's URL. If absent, the URL needs none. */
  keyed?: ToKeyedText;
  /**
   * Names of the coins and listed tokens of all chains. If absent, imitations are recognized only for this chain's
   * names.
   */
  taken?: readonly TokenNames[];
};
