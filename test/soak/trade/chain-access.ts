import { setTimeout as pause } from "node:timers/promises";
import { SigningKey } from "ethers/crypto";
import { Transaction } from "ethers/transaction";
import { type AnvilCall, callAnvil } from "../../../lib/tools/dev/chains/call-anvil.ts";
import { portsOf } from "../../../lib/tools/dev/chains/local-chains.ts";
import { chainFacts, type EvmChain, evmChains } from "../../../lib/trading/core/trading-chain.ts";

/** A chain of the runner, with its proxies and faults. */
export type ChainAccess = {
  chain: EvmChain;
  request(method: string, ...params: unknown[]): Promise<unknown>;
  requestAll(calls: readonly AnvilCall[]): Promise<unknown[]>;
  head(): Promise<number>;
  /** Makes the miner produce a block soon, even if no transaction waits. */
  wake(): Promise<void>;
  /** Resolves once the miner has produced and recorded another block. */
  nextBlock(): Promise<void>;
  /** Sets faults of the second host. */
  setHostFaults(faults: object): Promise<void>;
  /** Sets more faults, of both hosts. */
  setUnkindness(first: object, second: object): Promise<void>;
  /** Undefined if the chain has no relay. */
  setRelayFaults: ((faults: object) => Promise<void>) | undefined;
};

export type ForeignSend = {
  privateKey: string;
  nonce: number;
  /** In wei per unit of gas. */
  fee: bigint;
  to: string;
  data: string;
  gasLimit: bigint;
};

/** A hash without a transaction. Asking for it makes the miner mine. */
const noTransaction = `0x${"ab".repeat(32)}`;

async function put(url: string, body: object): Promise<void> {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(`${url}/_local/faults`, { method: "PUT", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url} answers ${answer.status} to its faults: ${await answer.text()}`);
}

/** @param port the runner's `--chain-port` */
export function accessChains(port: number): ChainAccess[] {
  return evmChains.map((chain) => {
    const { node, firstHost, secondHost, relay } = portsOf(chain, port);
    const at = (each: number) => `http://127.0.0.1:${each}`;
    const requestAll = (calls: readonly AnvilCall[]) => callAnvil(at(node), calls);
    const request = async (method: string, ...params: unknown[]) => (await requestAll([[method, params]]))[0];
    const head = async () => Number(await request("eth_blockNumber"));
    const wake = async () => {
      await callAnvil(at(secondHost), [["eth_getTransactionByHash", [noTransaction]]]).catch(() => {});
    };
    let faults: object = {};
    let unkindness: object = {};
    const setSecond = () => put(at(secondHost), { ...faults, ...unkindness });
    return {
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
      setHostFaults(next) {
        faults = next;
        return setSecond();
      },
      async setUnkindness(first, second) {
        unkindness = second;
        await Promise.all([put(at(firstHost), first), setSecond()]);
      },
      setRelayFaults: relay === undefined ? undefined : (faults) => put(at(relay), faults),
    };
  });
}

/** Signs a transaction like another program with the wallet's key. Returns its hash and bytes. */
export function signForeign(chain: EvmChain, send: ForeignSend): { hash: string; raw: string } {
  const { privateKey, nonce, fee, to, data, gasLimit } = send;
  const transaction = Transaction.from({
    ...{ type: 2, chainId: chainFacts[chain].chainId, nonce, to, data, gasLimit },
    ...{ maxFeePerGas: fee, maxPriorityFeePerGas: fee, value: 0n },
  });
  transaction.signature = new SigningKey(privateKey).sign(transaction.unsignedHash);
  return { hash: transaction.hash as string, raw: transaction.serialized };
}
