import { SSMClient } from "@aws-sdk/client-ssm";
import { StartupError } from "cdk-local-runner";
import { localContracts } from "trading-terminal-devnet/evm/deployment";
import cdk from "../../../cdk.json" with { type: "json" };
import type { TradingConfiguration } from "../../chains/families/configuration.ts";
import { fillKeys } from "../../chains/hosts/keyed-text.ts";
import { type EvmChain, evmChains, type TradingChain } from "../../core/chain-facts.ts";
import { ConfigurationError, readConfiguration } from "../../infra/config.ts";
import { solConfigurationOf } from "../../infra/sol-context.ts";
import { readHostKeys } from "../../runtime/host-keys.ts";
import type { Context } from "../runner/run-program.ts";

type Chosen = {
  chain?: readonly TradingChain[] | undefined;
  context: Context;
  local?: number | undefined;
  /** True if no chain needs to trade. */
  mayBeEmpty?: boolean | undefined;
};

/** @throws {StartupError} if the configuration is invalid, or has no chain to check */
export async function tradingFor({
  chain,
  context,
  local,
  mayBeEmpty,
}: Chosen): Promise<TradingConfiguration> {
  if (local !== undefined) return localTrading(local, { chain, mayBeEmpty });
  const values: Readonly<Record<string, unknown>> = {
    ...cdk.context,
    ...context,
    ...(chain && { trading: chain }),
  };
  try {
    const { trading, hostKeys } = readConfiguration({ getAllContext: () => values });
    if (mayBeEmpty || Object.keys(trading).length > 0)
      return hostKeys === undefined ? trading : await withStoredKeys(trading, hostKeys);
  } catch (error) {
    if (error instanceof ConfigurationError) throw new StartupError(error.message);
    throw error;
  }
  throw new StartupError("The context has no chain that trades. Name the chains to check with --chain.");
}

/** @throws {StartupError} if no service runs at the port, or the service lacks a chain */
async function localTrading(
  at: number,
  { chain: chains, mayBeEmpty }: Pick<Chosen, "chain" | "mayBeEmpty">,
): Promise<TradingConfiguration> {
  const { sol, ...hosts } = await hostsAt(at);
  const missing = (chain: TradingChain) =>
    new StartupError(`The service at port ${at} has no chain ${chain}`);
  const ofEvm = evmChains.filter((chain) => !mayBeEmpty || hosts[chain] !== undefined);
  const names = chains ?? [...ofEvm, ...(sol ? (["sol"] as const) : [])];
  return Object.fromEntries(
    names.map((chain) => {
      if (chain === "sol") {
        if (sol === undefined) throw missing(chain);
        // Leaves out Jupiter, because its local stand-in trades only one token and shows nothing about the real one.
        return [chain, solConfigurationOf({ ...sol, jupiter: null })];
      }
      const urls = hosts[chain];
      if (urls === undefined) throw missing(chain);
      return [chain, { ...localContracts(chain), hosts: urls }];
    }),
  );
}

type LocalHosts = { [Chain in EvmChain]?: readonly string[] } & {
  sol?: Parameters<typeof solConfigurationOf>[0];
};

async function hostsAt(at: number): Promise<LocalHosts> {
  try {
    const response = await fetch(`http://127.0.0.1:${at}/hosts.json`);
    return (await response.json()) as LocalHosts;
  } catch {
    throw new StartupError(`No service with local chains answers at port ${at}. Start it with npm start.`);
  }
}

/** @throws {StartupError} if the SSM parameter cannot be read, or lacks a key */
async function withStoredKeys(
  trading: TradingConfiguration,
  parameter: string,
): Promise<TradingConfiguration> {
  try {
    const keys = await readHostKeys(new SSMClient(), parameter);
    return JSON.parse(fillKeys(JSON.stringify(trading), keys));
  } catch (error) {
    const { name, message } = error as Error;
    throw new StartupError(`The keys of hosts in ${parameter} cannot be read: ${name}: ${message}`);
  }
}
