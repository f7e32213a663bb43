import { HostFault, RpcRefusal } from "../../../lib/chains/hosts/host-fault.ts";
import type { RpcCall, ValuesOf } from "../../../lib/chains/hosts/rpc-call.ts";
import type { RpcHost } from "../../../lib/chains/hosts/rpc-host.ts";
import type { Lie } from "../model/chain-under-test.ts";

export type MinedBlock = { number: number; hash: string; time: number; transactions: readonly string[] };

/** Data shared by both hosts. */
type Common = {
  /** RPC server of anvil itself. */
  node: RpcHost;
  tip(): MinedBlock;
  isOnChain(block: MinedBlock): boolean;
  /** Returns the newest final block. */
  finalized(): number;
  /** Responses of anvil since its last change of state, keyed by method and parameters. */
  answers: Map<string, { result: unknown } | RpcRefusal>;
  /** Runs before each request for receipts. */
  beforeReceipts(): Promise<void>;
};

/** Simulates a host in front of anvil, which can lag or be silent. */
export class AnvilHost implements RpcHost {
  isDown = false;
  lie: Lie | undefined;
  private laggingAt: { head: MinedBlock; finalized: number } | undefined;
  readonly common: Common;

  constructor(common: Common) {
    this.common = common;
  }

  setLagging(isLagging: boolean): void {
    const { tip, finalized } = this.common;
    this.laggingAt = isLagging ? (this.laggingAt ?? { head: tip(), finalized: finalized() }) : undefined;
  }

  async request<const Calls extends readonly RpcCall<unknown>[]>(calls: Calls): Promise<ValuesOf<Calls>> {
    if (this.isDown) throw new HostFault("UNREACHABLE", "anything");
    if (calls.some(({ method }) => method === "eth_getTransactionReceipt"))
      await this.common.beforeReceipts();
    const { laggingAt } = this;
    // A lagging host may still show a block that was undone.
    if (laggingAt !== undefined && !this.common.isOnChain(laggingAt.head))
      throw new HostFault("UNREACHABLE", "a lost block");
    const seen = calls.map((call) => this.seenBy(call));
    await this.fetch(seen);
    return seen.map((call) => this.valueOf(call)) as ValuesOf<Calls>;
  }

  /** Rewrites a call so that anvil answers with this host's own head and finality. */
  private seenBy(call: RpcCall<unknown>): RpcCall<unknown> {
    const head = this.laggingAt?.head.number;
    const finalized = this.laggingAt?.finalized ?? this.common.finalized();
    const params = call.params.map((param) => {
      if (param === "finalized") return `0x${finalized.toString(16)}`;
      return param === "latest" && head !== undefined ? `0x${head.toString(16)}` : param;
    });
    const read = (result: unknown) => {
      // Replaces anvil's suggested tip, which is too high for the histories.
      if (call.method === "eth_maxPriorityFeePerGas") return call.read("0x1");
      const block = (result as { blockNumber?: string } | null)?.blockNumber;
      const isHidden =
        call.method === "eth_getTransactionReceipt" && head !== undefined && Number(block) > head;
      return call.read(isHidden ? null : result);
    };
    return { ...call, params, read };
  }

  private async fetch(calls: readonly RpcCall<unknown>[]): Promise<void> {
    const { node, answers } = this.common;
    const missing = new Map(calls.map((call) => [keyOf(call), call]));
    for (const key of answers.keys()) missing.delete(key);
    if (missing.size === 0) return;
    await node.request(
      [...missing].map(([key, { method, params }]) => ({
        method,
        params,
        read: (result: unknown) => answers.set(key, { result }),
        recover: (refusal: RpcRefusal) => answers.set(key, refusal),
      })),
    );
  }

  private valueOf(call: RpcCall<unknown>): unknown {
    const answer = this.common.answers.get(keyOf(call)) as { result: unknown } | RpcRefusal;
    if (answer instanceof RpcRefusal) {
      if (call.recover === undefined) throw answer;
      return call.recover(answer);
    }
    try {
      return call.read(answer.result);
    } catch {
      throw new HostFault("BAD_RESULT", call.method);
    }
  }
}

const keyOf = ({ method, params }: RpcCall<unknown>) => JSON.stringify([method, params]);
