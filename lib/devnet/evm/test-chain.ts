import { deployer } from "./deployment.ts";
import { type LocalChain, type LocalChainOptions, sendAsDeployer, startLocalChain } from "./local-chain.ts";
import type { DeployerTransaction } from "./uniswap.ts";

/** A test account of anvil. It has 100 coins, and its private key is public. */
export type TestAccount = { address: string; privateKey: string };

export const alice: TestAccount = {
  address: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  privateKey: "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
};

export type TestTransaction = { from: string; to: string; data?: string; value?: bigint; gas?: bigint };

/** A receipt in anvil's format. */
export type TestReceipt = {
  transactionHash: string;
  status: "0x0" | "0x1";
  blockNumber: string;
  gasUsed: string;
  effectiveGasPrice: string;
  logs: { address: string; topics: string[]; data: string }[];
};

export type TestChain = LocalChain & {
  mine(blocks?: number): Promise<void>;
  /** Sends a transaction of a test account and mines it, even if it fails. */
  transact(transaction: TestTransaction): Promise<TestReceipt>;
  /** Sends the deployer's transactions in one block. Returns the addresses of created contracts. */
  deploy(...transactions: DeployerTransaction[]): Promise<(string | null)[]>;
  /** Calls a contract and returns the result as hex. */
  call(to: string, data: string): Promise<string>;
  /** Saves the current state for `restore`. The first saved state is the one after the deployment. */
  keep(): Promise<void>;
  restore(): Promise<void>;
};

const hex = (value: bigint | number) => `0x${value.toString(16)}`;

/** Starts an anvil for one test file, with the local contracts. It mines only when these functions ask it to. */
export async function startTestChain(options: LocalChainOptions = { chain: "eth" }): Promise<TestChain> {
  const chain = await startLocalChain(options);
  const request: LocalChain["request"] = (method, params) => chain.request(method, params);
  let restores = 0;
  let snapshot = await request("evm_snapshot");
  return {
    ...chain,
    async mine(blocks = 1) {
      await request("anvil_mine", [hex(blocks)]);
    },
    async transact({ value = 0n, gas = 1_000_000n, ...rest }) {
      const transaction = { ...rest, value: hex(value), gas: hex(gas) };
      const hash = await request("eth_sendTransaction", [transaction]);
      await request("evm_mine");
      return (await request("eth_getTransactionReceipt", [hash])) as TestReceipt;
    },
    async deploy(...transactions) {
      const sent = await request("eth_getTransactionCount", [deployer, "latest"]);
      await sendAsDeployer(chain.url, Number(sent), transactions);
      const receipts = await request("eth_getBlockReceipts", ["latest"]);
      return (receipts as { contractAddress: string | null }[]).map(({ contractAddress }) => contractAddress);
    },
    async call(to, data) {
      return (await request("eth_call", [{ to, data }, "latest"])) as string;
    },
    async keep() {
      snapshot = await request("evm_snapshot");
    },
    async restore() {
      await request("anvil_dropAllTransactions");
      await request("evm_revert", [snapshot]);
      snapshot = await request("evm_snapshot");
      // Sets a different miner each time, so that each restored block has a unique hash. Anvil keeps the states of a
      // limited number of blocks by hash, and may already have dropped the state of an equal block.
      restores += 1;
      await request("anvil_setCoinbase", [`0x${String(restores).padStart(40, "0")}`]);
      await request("evm_mine");
    },
  };
}
