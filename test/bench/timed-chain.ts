import type { Result } from "ethers/abi";
import { multicallABI } from "../../lib/chains/evm/calls/contract-abi.ts";
import type { RpcCall } from "../../lib/chains/hosts/rpc-call.ts";
import type { RpcHost } from "../../lib/chains/hosts/rpc-host.ts";
import { chainFacts, type EvmChain } from "../../lib/core/chain-facts.ts";
import type { Block } from "../../lib/orders/block.ts";

/** Age of the final block just after it jumps, and the time between two jumps, in seconds. */
export type Finality = { lateSeconds: number; jumpSeconds: number };

/** Number of the first block. */
const first = 1_000_000;

/** Newest blocks whose hashes Multicall3 can read. */
const knownBlocks = 256;

const hex = (value: number) => `0x${value.toString(16)}`;

const hashOf = (number: number) => `0x${number.toString(16).padStart(64, "0")}`;

/** A chain computed only from the time. It includes each transaction in its next block. */
export class TimedChain {
  readonly blockMs: number;
  readonly #startMs = Date.now();
  readonly #finality: Finality;
  /** Block number of each transaction. */
  readonly #blocks = new Map<string, number>();

  constructor(chain: EvmChain, finality: Finality) {
    this.blockMs = chainFacts[chain].blockSeconds * 1000;
    this.#finality = finality;
  }

  msOf(number: number): number {
    return this.#startMs + (number - first) * this.blockMs;
  }

  block(number: number): Block {
    return { number, hash: hashOf(number), time: Math.floor(this.msOf(number) / 1000) };
  }

  latest(): Block {
    return this.block(this.#numberAt(Date.now()));
  }

  finalized(): Block {
    return this.block(this.#numberAt(this.jumpMs() - this.#finality.lateSeconds * 1000));
  }

  /** Returns the time of the final block's last jump. */
  jumpMs(): number {
    const everyMs = this.#finality.jumpSeconds * 1000;
    return Date.now() - ((Date.now() - this.#startMs) % everyMs);
  }

  take(transaction: string): void {
    if (!this.#blocks.has(transaction)) this.#blocks.set(transaction, this.latest().number + 1);
  }

  /** Undefined if the transaction is not yet mined. */
  blockOf(transaction: string): Block | undefined {
    const number = this.#blocks.get(transaction);
    return number === undefined || number > this.latest().number ? undefined : this.block(number);
  }

  #numberAt(ms: number): number {
    return first + Math.floor((ms - this.#startMs) / this.blockMs);
  }
}

/** A host of the chain that answers a reader's requests. */
export const hostOf = (chain: TimedChain, act: (calls: readonly RpcCall<unknown>[]) => Promise<void>) => ({
  request: (async (calls: readonly RpcCall<unknown>[]) => {
    await act(calls);
    return calls.map(({ method, params, read }) => read(answerTo(chain, method, params)));
  }) as RpcHost["request"],
});

function answerTo(chain: TimedChain, method: string, [subject]: readonly unknown[]): unknown {
  switch (method) {
    case "eth_call":
      return multicallAnswer(chain, (subject as { data: string }).data);
    case "eth_getBlockByNumber": {
      const { number, hash, time } =
        subject === "finalized" ? chain.finalized() : chain.block(Number(subject));
      return { number: hex(number), hash, timestamp: hex(time) };
    }
    case "eth_getTransactionReceipt": {
      const block = chain.blockOf(String(subject));
      if (block === undefined) return null;
      const gas = { gasUsed: "0x1", effectiveGasPrice: "0x1" };
      return { status: "0x1", blockNumber: hex(block.number), blockHash: block.hash, ...gas, logs: [] };
    }
    default:
      throw new Error(`The chain does not answer ${method}`);
  }
}

function multicallAnswer(chain: TimedChain, data: string): string {
  const [calls] = multicallABI.decodeFunctionData("aggregate3", data);
  const answers = [...calls].map(({ callData }: Result) => {
    const call = multicallABI.parseTransaction({ data: callData });
    const { number, time } = chain.latest();
    const value = {
      getBlockNumber: () => number,
      getCurrentBlockTimestamp: () => time,
      getLastBlockHash: () => hashOf(number - 1),
      getBlockHash: () => {
        const asked = Number(call?.args[0]);
        return hashOf(asked < number && asked >= number - knownBlocks ? asked : 0);
      },
    }[String(call?.name)];
    if (call === null || value === undefined) throw new Error("The chain does not answer this call");
    return [true, multicallABI.encodeFunctionResult(call.fragment, [value()])];
  });
  return multicallABI.encodeFunctionResult("aggregate3", [answers]);
}
