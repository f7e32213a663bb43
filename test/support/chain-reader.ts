import { type SecondHost, startSecondHost } from "trading-terminal-devnet/evm/second-host";
import type { TestChain } from "trading-terminal-devnet/evm/test-chain";
import type { EvmConfiguration } from "../../lib/chains/evm/rules/configuration.ts";
import type { EvmReader } from "../../lib/chains/evm/venues/reader.ts";
import { openEvmChains } from "../../lib/chains/families/open-chains.ts";
import type { EvmChain } from "../../lib/core/chain-facts.ts";

type Changes = { hosts?: readonly string[]; relay?: string };

/** Chain configuration without hosts and relay. It may also list exchanges that local chains lack. */
type Contracts = Omit<EvmConfiguration, "hosts" | "relay">;

/** Opens a test chain the way functions do. */
export function chainsOf(
  { chain, contracts, url }: Pick<TestChain, "chain" | "url"> & { contracts: Contracts },
  changes: Changes = {},
): ReadonlyMap<EvmChain, EvmReader> {
  return openEvmChains({ [chain]: { ...contracts, hosts: [url], ...changes } });
}

export const readerOf = (chain: TestChain, changes: Changes = {}): EvmReader =>
  chainsOf(chain, changes).get(chain.chain) as EvmReader;

/** Starts a host of a test chain that cannot simulate transactions. */
export async function startPlainHost({ url }: TestChain): Promise<SecondHost> {
  const host = await startSecondHost({ chainUrl: url });
  const unknown = { error: { code: -32601, message: "the method does not exist" } };
  host.lie = ({ method }, reply) => (method === "eth_simulateV1" ? unknown : reply);
  return host;
}
