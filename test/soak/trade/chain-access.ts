import { setTimeout as pause } from "node:timers/promises";
import { SigningKey } from "ethers/crypto";
import { Transaction } from "ethers/transaction";
import { type AnvilCall, callAnvil } from "trading-terminal-devnet/evm/call-anvil";
import { portsOf } from "trading-terminal-devnet/local-chains";
import { chainFacts, type EvmChain, evmChains } from "../../../lib/core/chain-facts.ts";
import { type ChainFaults, faultsOf, urlAt } from "./chain-faults.ts";

/** A runner's EVM chain with its proxies and faults. */
export type ChainAccess = ChainFaults & {
  chain: EvmChain;
  request(method: string, ...params: unknown[]): Promise<unknown>;
  requestAll(calls: readonly AnvilCall[]): Promise<unknown[]>;
  head(): Promise<number>;
  /** Makes the miner produce a block soon, even without waiting transactions. */
  wake(): Promise<void>;
  /** Resolves once the miner has produced and recorded another block. */
  nextBlock(): Promise<void>;
};

export type ForeignSend = {
  privateKey: string;
  nonce: number;
  /** Fee in wei per unit of gas. */
  fee: bigint;
  to: string;
  data: string;
  gasLimit: bigint;
};

/** A hash without a transaction. Requesting it makes the miner mine. */
const noTransaction = `0x${"ab".repeat(32)}`;

const mostWakeMs = 1000;

/**
 * Opens the runner's EVM chains.
 *
 * @param port the runner's `--chain-port`
 */
export function accessChains(port: number): ChainAccess[] {
  return evmChains.map((chain) => {
    const { node, secondHost } = portsOf(chain, port);
    const requestAll = (calls: readonly AnvilCall[]) => callAnvil(urlAt(node), calls);
    const request = async (method: string, ...params: unknown[]) => (await requestAll([[method, params]]))[0];
    const head = async () => Number(await request("eth_blockNumber"));
    const wake = async () => {
      const asked = callAnvil(urlAt(secondHost), [["eth_getTransactionByHash", [noTransaction]]]);
      // Stops waiting after a while, because a host stalls until its fault ends.
      await Promise.race([asked.catch(() => {}), pause(mostWakeMs, undefined, { ref: false })]);
    };
    return {
      ...faultsOf(chain, port),
      chain,
      request,
      requestAll,
      head,
      wake,
      async nextBlock() {
        const before = await head();
        for (let waitedMs = 0; waitedMs < 10_000 && (await head()) <= before; waitedMs += 100) {
          await wake();
          await pause(100);
        }
      },
    };
  });
}

/** Signs a transaction like another program that has the wallet's key. Returns its hash and bytes. */
export function signForeign(chain: EvmChain, send: ForeignSend): { hash: string; raw: string } {
  const { privateKey, nonce, fee, to, data, gasLimit } = send;
  const transaction = Transaction.from({
    type: 2,
    chainId: chainFacts[chain].chainId,
    nonce,
    to,
    data,
    gasLimit,
    maxFeePerGas: fee,
    maxPriorityFeePerGas: fee,
    value: 0n,
  });
  transaction.signature = new SigningKey(privateKey).sign(transaction.unsignedHash);
  return { hash: transaction.hash as string, raw: transaction.serialized };
}
