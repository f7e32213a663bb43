import type { RpcQuestion, RpcReply } from "trading-terminal-devnet/rpc-service";
import { answerAsOf } from "trading-terminal-devnet/sol/lagging-sol";
import type { SolNode } from "trading-terminal-devnet/sol/sol-node";
import { transactionIn } from "trading-terminal-devnet/sol/wire-message";
import { HostFault, RpcRefusal, solRefusals } from "../../../lib/chains/hosts/host-fault.ts";
import type { RpcCall, ValuesOf } from "../../../lib/chains/hosts/rpc-call.ts";
import type { RpcHost } from "../../../lib/chains/hosts/rpc-host.ts";
import type { SolFlaws } from "../model/sol/sol-chain-under-test.ts";
import type { SolLie } from "../model/sol/sol-lies.ts";
import { type Branch, finalAfter, type SurfpoolFork } from "./surfpool-fork.ts";

/** Data shared by both hosts. */
type Common = {
  fork: SurfpoolFork;
  node: SolNode;
  flaws: SolFlaws;
  /** Sends calls to the node as one branch sees it. */
  onBranch<Value>(branch: Branch, run: () => Promise<Value>): Promise<Value>;
  take(raw: string): void;
};

/** Highest number of slots by which a host's node lags behind. */
const mostBehind = 40;

const ofHistory = ["getSignatureStatuses", "getTransaction"];

/** Simulates a host in front of two branches, which can lag, lie, lose its history or be silent. */
export class SurfpoolHost implements RpcHost {
  isDown = false;
  isPruned = false;
  isSplit = false;
  lie: SolLie | undefined;
  laggingAt: number | undefined;
  private readonly common: Common;
  private readonly branch: () => Branch;

  constructor(common: Common, branch: () => Branch) {
    this.common = common;
    this.branch = branch;
  }

  async request<const Calls extends readonly RpcCall<unknown>[]>(calls: Calls): Promise<ValuesOf<Calls>> {
    return (await Promise.all(calls.map((call) => this.valueOf(call)))) as ValuesOf<Calls>;
  }

  private async valueOf(call: RpcCall<unknown>): Promise<unknown> {
    const { method, params } = call;
    if (this.isDown) throw new HostFault("UNREACHABLE", method);
    const reply = await this.replyTo({ id: 1, method, params });
    if ("error" in reply) {
      const refusal = new RpcRefusal(method, reply.error, solRefusals);
      if (call.recover === undefined) throw refusal;
      return call.recover(refusal);
    }
    try {
      return call.read(reply.result);
    } catch {
      throw new HostFault("BAD_RESULT", method);
    }
  }

  private async replyTo(question: RpcQuestion): Promise<RpcReply> {
    const { fork, node, flaws, onBranch, take } = this.common;
    const { method, params } = question;
    if (method === "sendTransaction") {
      take(String(params[0]));
      return { result: transactionIn(params)?.signature };
    }
    const branch = this.branch();
    const isOfHistory = ofHistory.includes(method);
    const isUnfinal = flaws.readsUnfinal === true || this.lie === "a block that is not final";
    const newest = (this.laggingAt ?? fork.slot) - (isUnfinal ? 0 : finalAfter);
    const head = newest - (this.isSplit && isOfHistory ? mostBehind : 0);
    const lag = { node, past: fork.past(branch), newest: fork.slot, head };
    const reply = await onBranch(branch, () =>
      head === fork.slot ? node.replyTo(question) : answerAsOf(lag, question),
    );
    return this.isPruned && isOfHistory ? withoutHistory(reply) : reply;
  }
}

/** Hides transactions, like a host that has deleted old ones. */
function withoutHistory(reply: RpcReply): RpcReply {
  if ("error" in reply) return reply;
  const { result } = reply as { result: { value?: unknown[] } | null };
  return { result: result?.value ? { ...result, value: result.value.map(() => null) } : null };
}
