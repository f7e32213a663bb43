import { StartupError } from "cdk-local-runner";
import { type EvmChain, evmFacts } from "../chain-facts.ts";
import { startAnvil } from "./anvil.ts";
import { type AnvilCall, callAnvil } from "./call-anvil.ts";
import { deployer, deployment, localContracts, multicallPredeploy, predeploys } from "./deployment.ts";
import type { LocalContracts } from "./local-contracts.ts";
import type { DeployerTransaction } from "./uniswap.ts";

export type LocalChain = {
  chain: EvmChain;
  /** URL of anvil itself. */
  url: string;
  /** Contracts of the chain, at the same addresses on every chain. */
  contracts: LocalContracts;
  /** Process id of anvil. */
  processId: number;
  /** Calls anvil, including its own methods `anvil_*`. */
  request(method: string, params?: readonly unknown[]): Promise<unknown>;
  /** Stops anvil, which then writes the state file. */
  close(): Promise<void>;
};

export type LocalChainOptions = {
  chain: EvmChain;
  /** Port to listen on. The default of 0 picks any free port. */
  port?: number;
  /** File that keeps the chain across restarts. If absent, the chain is not kept. */
  statePath?: string;
  /** Number of slots in an epoch. With the default of 1, a block is final after two more blocks. */
  slotsInEpoch?: number;
  /** Time of the first block, in epoch seconds, from which the chain's clock continues. By default, it is now. */
  bornAt?: number;
};

/**
 * Starts a chain with Uniswap's contracts, test tokens and their pools. It mines only on demand.
 *
 * @throws StartupError if anvil fails to start, or the state file is from another version of the contracts
 */
export async function startLocalChain({
  chain,
  port = 0,
  statePath,
  slotsInEpoch,
  bornAt,
}: LocalChainOptions): Promise<LocalChain> {
  const anvil = await startAnvil({
    chainId: evmFacts[chain].chainId,
    port,
    statePath,
    slotsInEpoch,
    bornAt,
  });
  const { url, processId } = anvil;
  try {
    await prepare(url, chain);
  } catch (error) {
    await anvil.stop();
    throw error;
  }
  return {
    chain,
    url,
    contracts: localContracts(chain),
    processId,
    async request(method, params = []) {
      const [result] = await callAnvil(url, [[method, params]]);
      return result;
    },
    close: anvil.stop,
  };
}

async function prepare(url: string, chain: EvmChain): Promise<void> {
  const transactions = deployment(chain);
  const [, sent] = await callAnvil(url, [
    ["anvil_setLoggingEnabled", [false]],
    ["eth_getTransactionCount", [deployer, "latest"]],
  ]);
  const count = Number(sent);
  // Expects all transactions or none, because one block contains them all. Any other count means that the state is from
  // another version of the contracts.
  if (count > 0 && count < transactions.length) {
    throw new StartupError(`The state of chain ${chain} is from another version of the local contracts`);
  }
  if (count === 0) {
    await callAnvil(url, [multicallPredeploy]);
    await sendAsDeployer(url, 0, transactions);
  }
  // Repeats these calls at each start, because an earlier start may have been interrupted before them.
  await callAnvil(url, predeploys(chain));
  // Mines another block, to protect the deployed contracts from reorganisations.
  if (count === 0) await callAnvil(url, [["evm_mine"]]);
}

/** Gas limit of the block that contains the whole deployment. */
const deploymentGas = 1_000_000_000;
const transactionGas = 12_000_000;
const usualBlockGas = 60_000_000;

const hex = (value: bigint | number) => `0x${value.toString(16)}`;

/**
 * Sends the deployer's transactions in one block.
 *
 * @param nonce Number of transactions that the deployer sent before.
 * @throws Error if a transaction fails
 */
export async function sendAsDeployer(
  url: string,
  nonce: number,
  transactions: readonly DeployerTransaction[],
): Promise<void> {
  const sends = transactions.map(
    ({ value = 0n, ...rest }, index): AnvilCall => [
      "eth_sendTransaction",
      [
        {
          from: deployer,
          nonce: hex(nonce + index),
          gas: hex(transactionGas),
          value: hex(value),
          ...rest,
        },
      ],
    ],
  );
  await callAnvil(url, [
    ["anvil_impersonateAccount", [deployer]],
    ["anvil_setBalance", [deployer, hex(10n ** 27n)]],
    ["evm_setBlockGasLimit", [hex(deploymentGas)]],
  ]);
  await callAnvil(url, sends);
  await callAnvil(url, [["evm_mine"]]);
  const [receipts] = (await callAnvil(url, [
    ["eth_getBlockReceipts", ["latest"]],
    ["anvil_stopImpersonatingAccount", [deployer]],
    ["evm_setBlockGasLimit", [hex(usualBlockGas)]],
  ])) as [{ status: string }[]];
  const failed = receipts.findIndex(({ status }) => status !== "0x1");
  if (failed >= 0 || receipts.length < sends.length) {
    throw new Error(`Transaction ${failed} of ${sends.length} of the local contracts failed`);
  }
}
