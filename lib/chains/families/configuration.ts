import type { EvmChain } from "../../core/chain-facts.ts";
import type { EvmConfiguration } from "../evm/rules/configuration.ts";
import type { SolConfiguration } from "../sol/rules/configuration.ts";

/** The chains on which trading is on. */
export type TradingConfiguration = { readonly [Chain in EvmChain]?: EvmConfiguration } & {
  readonly sol?: SolConfiguration;
};
