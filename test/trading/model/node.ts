import type { Block, Receipt } from "../../../lib/trading/core/evm/host-snapshot.ts";
import type { Fees } from "../../../lib/trading/core/intent.ts";
import type { Lie } from "./chain-under-test.ts";
import type { State, Transaction } from "./ledger-state.ts";

export type ModelBlock = Block & {
  parent: ModelBlock | undefined;
  state: State;
  receipts: ReadonlyMap<string, Receipt>;
  transactions: readonly Transaction[];
};

/** A host with its own newest block and its own pool. */
export class ModelNode {
  head: ModelBlock;
  finalized: ModelBlock;
  readonly pool = new Map<string, Transaction>();
  isDown = false;
  isLagging = false;
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

  /** The nonce after the wallet's waiting transactions. */
  pendingNonce(wallet: string): number {
    let nonce = nonceAt(this.head, wallet);
    const waiting = [...this.pool.values()].filter((transaction) => transaction.wallet === wallet);
    while (waiting.some((transaction) => transaction.nonce === nonce)) nonce++;
    return nonce;
  }

  /** Returns the node's response. */
  take(transaction: Transaction, isDelegated: boolean): "taken" | "refused" | "in-flight limit" {
    const { wallet, nonce, hash } = transaction;
    if (this.isDown || nonce < nonceAt(this.head, wallet)) return "refused";
    // A delegated wallet may have only its next transaction waiting.
    if (isDelegated && nonce !== nonceAt(this.head, wallet)) return "in-flight limit";
    const rival = [...this.pool.values()].find(
      (other) => other.wallet === wallet && other.hash !== hash && other.nonce === nonce,
    );
    if (rival !== undefined && !outbids(transaction, rival)) return "refused";
    if (rival !== undefined) this.pool.delete(rival.hash);
    this.pool.set(hash, transaction);
    return "taken";
  }
}

export const outbids = (a: Fees, b: Fees) =>
  a.maxFeePerGas * 10n >= b.maxFeePerGas * 11n &&
  a.maxPriorityFeePerGas * 10n >= b.maxPriorityFeePerGas * 11n;

export const nonceAt = ({ state }: ModelBlock, wallet: string): number =>
  state.accounts.get(wallet)?.nonce ?? 0;
