import type { Question } from "../../../lib/trading/core/effects.ts";
import type { HostSnapshot, OrderFacts, Receipt } from "../../../lib/trading/core/evm/host-snapshot.ts";
import type { Intent } from "../../../lib/trading/core/intent.ts";
import { type Account, isDusk, l1Fee, quote, routeOf } from "./ledger-state.ts";
import { lyingSnapshot } from "./lies.ts";
import { type ModelBlock, type ModelNode, nonceAt } from "./node.ts";

const blockOf = ({ number, hash, time }: ModelBlock) => ({ number, hash, time });

/** A node's snapshot, including its lies. */
export function snapshotOf(from: {
  node: ModelNode;
  head: ModelBlock;
  finalized: ModelBlock;
  baseFee: bigint;
  question: Question;
  /** Read last, like on a real node. */
  receipts: () => Map<string, Receipt>;
  seen: Set<string>;
}): HostSnapshot {
  const { node, head, finalized, baseFee, question, seen } = from;
  const { wallet } = question;
  const account = head.state.accounts.get(wallet) as Account;
  const orders = new Map(
    question.orders.map((intent) => [intent.orderId, factsOf(intent, account, from)] as const),
  );
  const nonce = {
    latest: nonceAt(head, wallet),
    pending: node.pendingNonce(wallet),
    finalized: nonceAt(finalized, wallet),
  };
  const snapshot = {
    latest: blockOf(head),
    finalized: blockOf(finalized),
    nonce,
    coins: account.coins,
    baseFee,
    clearL1Fee: l1Fee,
    clearFees: { maxFeePerGas: baseFee * 2n, maxPriorityFeePerGas: baseFee },
    orders,
    blocks: new Map((question.blocks ?? []).flatMap((number) => hashAt(head, number) ?? [])),
    receipts: from.receipts(),
  };
  if (node.lie === undefined) return snapshot;
  seen.add(`lie: ${node.lie}`);
  return lyingSnapshot(snapshot, node.lie, question);
}

function hashAt(head: ModelBlock, number: number): [[number, string]] | undefined {
  let block: ModelBlock | undefined = head;
  while (block !== undefined && block.number > number) block = block.parent;
  return block?.number === number ? [[number, block.hash]] : undefined;
}

function factsOf(
  { side, token, amount }: Intent,
  account: Account,
  { head, baseFee }: { head: ModelBlock; baseFee: bigint },
): OrderFacts {
  const held = account.tokens.get(token) ?? 0n;
  const amountIn = side === "sell" && held < amount ? held : amount;
  const amountOut = quote(head.state, side, token, amountIn);
  return {
    fees: { maxFeePerGas: baseFee * 2n, maxPriorityFeePerGas: baseFee / 2n + 1n },
    gasLimit: { approve: 50_000n, swap: 100_000n },
    l1Fee: { approve: l1Fee, swap: l1Fee },
    ...(side === "sell" && {
      held,
      allowance: account.allowances.get(token) ?? 0n,
      wantsZeroFirst: isDusk(token),
    }),
    ...(amountOut > 0n && { quote: { ...routeOf(token), amountOut } }),
  };
}
