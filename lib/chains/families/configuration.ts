import type { EvmChain } from "../../core/chain-facts.ts";
import type { EvmConfiguration } from "../evm/rules/configuration.ts";
import type { Contracts } from "../evm/venues/configured-routes.ts";
import type { SolConfiguration } from "../sol/rules/configuration.ts";

/** Chains that have trading enabled. */
export type TradingConfiguration = { readonly [Chain in EvmChain]?: EvmConfiguration } & {
  readonly sol?: SolConfiguration;
};

type OperatorLimit = "maxOrder" | "maxNetworkFee" | "maxNetworkFeesPerDay";

/** The part of a chain's configuration that the signer needs. */
export type SigningConfiguration = {
  readonly [Chain in EvmChain]?: Contracts & Pick<EvmConfiguration, OperatorLimit>;
} & { readonly sol?: Pick<SolConfiguration, OperatorLimit | "baseFee" | "relay"> };
