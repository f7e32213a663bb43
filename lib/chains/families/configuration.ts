import type { EvmChain } from "../../core/chain-facts.ts";
import type { EvmConfiguration } from "../evm/rules/configuration.ts";
import type { Contracts } from "../evm/venues/configured-routes.ts";
import type { SolConfiguration, SolRelay } from "../sol/rules/configuration.ts";

/** Chains that have trading enabled. */
export type TradingConfiguration = { readonly [Chain in EvmChain]?: EvmConfiguration } & {
  readonly sol?: SolConfiguration;
};

type OperatorLimit = "maxOrder" | "maxNetworkFee" | "maxNetworkFeesPerDay";

/** The part of a chain's configuration that the signer needs. */
export type SigningConfiguration = {
  readonly [Chain in EvmChain]?: Contracts & Pick<EvmConfiguration, OperatorLimit>;
} & {
  readonly sol?: Pick<SolConfiguration, OperatorLimit | "baseFee" | "pumpTable"> & {
    relay?: Omit<SolRelay, "url">;
  };
};

/** Leaves out hosts, URLs of relays, API keys and listed tokens, because the signer talks to no chain. */
export function signingConfigurationOf({ sol, ...chains }: TradingConfiguration): SigningConfiguration {
  const evm = Object.fromEntries(
    Object.entries(chains).map(([chain, { hosts: _hosts, relay: _relay, tokens: _tokens, ...rest }]) => [
      chain,
      rest,
    ]),
  );
  if (sol === undefined) return evm;
  const { hosts: _hosts, jupiter: _jupiter, tokens: _tokens, relay, ...rest } = sol;
  const tips = relay && { tipAccounts: relay.tipAccounts, leastTip: relay.leastTip };
  return { ...evm, sol: { ...rest, ...(tips && { relay: tips }) } };
}
