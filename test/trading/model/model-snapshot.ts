import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import type { EvmOrderFacts, EvmReceipt, EvmSnapshot } from "../../../lib/chains/evm/rules/host-snapshot.ts";
import type { EvmIntent } from "../../../lib/chains/evm/rules/intent.ts";
import type { Question } from "../../../lib/orders/effects.ts";
import { type Account, isDusk, l1Fee, quote, spenderOf } from "./ledger-state.ts";
import { lyingSnapshot } from "./lies.ts";
import { type ModelBlock, type ModelNode, nonceAt } from "./node.ts";

const blockOf = ({ number, hash, time }: ModelBlock) => ({ number, hash, time });

/** Returns a node's snapshot, including its lies. */
export function snapshotOf(from: {
  node: ModelNode;
  head: ModelBlock;
  finalized: ModelBlock;
  baseFee: bigint;
  question: Question<Evm>;
  /** Reads receipts last, as on a real node. */
  receipts: () => Map<string, EvmReceipt>;
  seen: Set<string>;
}): EvmSnapshot {
  const { node, head, finalized, baseFee, question, seen } = from;
  const { wallet } = question;
  const account = head.state.accounts.get(wallet) as Account;
  const orders = new Map(
    question.orders.map((intent) => [intent.orderId, factsOf(intent, account, from)] as const),
  );
  const nonce = {
    latest: nonceAt(head, wallet),
    pending: node.pendingNonce(wallet),
  };
  const snapshot = {
    latest: blockOf(head),
    finalized: blockOf(finalized),
    nonce,
    coins: account.coins,
    baseFee,
    clearL1Fee: l1Fee,
    // Changes from block to block, as after a fork that makes transactions more expensive.
    ...(question.hashes.length > 0 && { clearGas: 20_000n + 1_000n * BigInt(head.number % 7) }),
    clearFees: { maxFeePerGas: baseFee * 2n, maxPriorityFeePerGas: baseFee },
    orders,
    blocks: new Map((question.blocks ?? []).flatMap((number) => hashAt(head, number) ?? [])),
    held: new Map((question.missed ?? []).map((token) => [token, account.tokens.get(token) ?? 0n])),
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
  { side, token, amount, routes }: EvmIntent,
  account: Account,
  { head, baseFee }: { head: ModelBlock; baseFee: bigint },
): EvmOrderFacts {
  const held = account.tokens.get(token) ?? 0n;
  const amountIn = side === "sell" && held < amount ? held : amount;
  return {
    fees: { maxFeePerGas: baseFee * 2n, maxPriorityFeePerGas: baseFee / 2n + 1n },
    isListed: true,
    ...(side === "sell" && { held }),
    routes: routes.flatMap((route) => {
      const amountOut = quote(head.state, side, token, route, amountIn);
      if (amountOut === 0n) return [];
      return [
        {
          ...route,
          amountOut,
          // Ignores network fees, which would outweigh the few wei traded here.
          networkFee: 0n,
          gasLimit: { approve: 50_000n, swap: 100_000n },
          l1Fee: { approve: l1Fee, swap: l1Fee },
          allowance: side === "sell" ? (account.allowances.get(spenderOf(token, route)) ?? 0n) : 0n,
          wantsZeroFirst: side === "sell" && isDusk(token),
        },
      ];
    }),
  };
}
