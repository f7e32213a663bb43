import type { EvmReceipt } from "../../../lib/chains/evm/rules/host-snapshot.ts";
import type { EvmFees } from "../../../lib/chains/evm/rules/intent.ts";
import type { Block } from "../../../lib/orders/block.ts";
import type { Lie, SendAnswer } from "./chain-under-test.ts";
import { mostCost, type State, type Transaction } from "./ledger-state.ts";

export type ModelBlock = Block & {
  parent: ModelBlock | undefined;
  state: State;
  receipts: ReadonlyMap<string, EvmReceipt>;
  transactions: readonly Transaction[];
};

/** Simulates a host with its own newest block and its own pool. */
export class ModelNode {
  head: ModelBlock;
  finalized: ModelBlock;
  readonly pool = new Map<string, Transaction>();
  isDown = false;
  isLagging = false;
  isForgetting = false;
  lie: Lie | undefined;

  constructor(genesis: ModelBlock) {
    this.head = genesis;
    this.finalized = genesis;
  }

  follow(head: ModelBlock, finalized: ModelBlock): void {
    if (this.isLagging) return;
    this.head = head;
    this.finalized = finalized;
    for (const [hash, { wallet, nonce }] of this.pool)
      if (nonceAt(finalized, wallet) > nonce) this.pool.delete(hash);
  }

  /** Returns the nonce after the wallet's waiting transactions. */
  pendingNonce(wallet: string): number {
    let nonce = nonceAt(this.head, wallet);
    const waiting = [...this.pool.values()].filter((transaction) => transaction.wallet === wallet);
    while (waiting.some((transaction) => transaction.nonce === nonce)) nonce++;
    return nonce;
  }

  take(transaction: Transaction, isDelegated: boolean): NodeAnswer {
    const { wallet, nonce, hash } = transaction;
    if (this.isDown) return "down";
    const next = nonceAt(this.head, wallet);
    if (nonce < next) return "nonce too low";
    // A delegated wallet may have only its next transaction in the pool.
    if (isDelegated && nonce !== next) return "in-flight limit";
    const coins = this.head.state.accounts.get(wallet)?.coins ?? 0n;
    if (coins < mostCost(transaction)) return "unfunded";
    const rival = [...this.pool.values()].find(
      (other) => other.wallet === wallet && other.hash !== hash && other.nonce === nonce,
    );
    if (rival !== undefined && !outbids(transaction, rival)) return "underpriced";
    if (rival !== undefined) this.pool.delete(rival.hash);
    this.pool.set(hash, transaction);
    return "taken";
  }
}

export type NodeAnswer =
  | "taken"
  | "nonce too low"
  | "underpriced"
  | "unfunded"
  | "in-flight limit"
  | "down"
  | "refused";

/** Translates the nodes' answers for a sender. */
export function sendAnswer(answers: readonly NodeAnswer[]): SendAnswer {
  if (answers.some((each) => each === "taken" || each === "nonce too low")) return "reached";
  const [first] = new Set(answers);
  if (new Set(answers).size > 1) return "unreached";
  return first === "underpriced" || first === "unfunded" ? first : "unreached";
}

export const outbids = (a: EvmFees, b: EvmFees) =>
  a.maxFeePerGas * 10n >= b.maxFeePerGas * 11n &&
  a.maxPriorityFeePerGas * 10n >= b.maxPriorityFeePerGas * 11n;

export const nonceAt = ({ state }: ModelBlock, wallet: string): number =>
  state.accounts.get(wallet)?.nonce ?? 0;
