import { StartupError } from "cdk-local-runner";
import { type EvmChain, evmFacts } from "../chain-facts.ts";
import { startAnvil } from "./anvil.ts";
import { type AnvilCall, callAnvil } from "./call-anvil.ts";
import { deployer, deployment, localContracts, multicallPredeploy, predeploys } from "./deployment.ts";
import type { LocalContracts } from "./local-contracts.ts";
import type { DeployerTransaction } from "./uniswap.ts";

export type LocalChain = {
  chain: EvmChain;
  /** The URL of anvil itself. */
  url: string;
  /** The contracts, at the same addresses on every chain. */
  contracts: LocalContracts;
  /** The process id of anvil. */
  processId: number;
  /** Calls anvil. Its own methods, `anvil_*`, are allowed. */
  request(method: string, params?: readonly unknown[]): Promise<unknown>;
  /** Ends anvil, which writes the state file. */
  close(): Promise<void>;
};

export type LocalChainOptions = {
  chain: EvmChain;
  /** 0, the default, picks any free port. */
  port?: number;
  /** The file that keeps the chain across restarts. If absent, the chain is not kept. */
  statePath?: string;
  /** The default is 1: a block is final as soon as two more follow it. */
  slotsInEpoch?: number;
};

/**
 * Starts a chain with Uniswap's contracts, test tokens and their pools. It mines only on demand.
 *
 * @throws StartupError if anvil does not start, or the state file is from another version of the contracts
 */
export async function startLocalChain({
  chain,
  port = 0,
  statePath,
  slotsInEpoch,
}: LocalChainOptions): Promise<LocalChain> {
  const anvil = await startAnvil({ chainId: evmFacts[chain].chainId, port, statePath, slotsInEpoch });
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
  // One block contains all of them, so a part of them means another version.
  if (count > 0 && count < transactions.length) {
    throw new StartupError(`The state of chain ${chain} is from another version of the local contracts`);
  }
  if (count === 0) {
    await callAnvil(url, [multicallPredeploy]);
    await sendAsDeployer(url, 0, transactions);
  }
  // Repeated at each start, since an earlier one may have ended before this.
  await callAnvil(url, predeploys(chain));
  // A block of their own protects them from reorganisations.
  if (count === 0) await callAnvil(url, [["evm_mine"]]);
}

/** Raises the block's gas limit, so that one block fits the whole deployment. */
const deploymentGas = 1_000_000_000;
const transactionGas = 12_000_000;
const usualBlockGas = 60_000_000;

const hex = (value: bigint | number) => `0x${value.toString(16)}`;

/**
 * Sends the deployer's transactions in one block.
 *
 * @param nonce The number of transactions that it has sent before.
 * @throws Error if one of them fails
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
