import { setTimeout as pause } from "node:timers/promises";
import type { ChainName } from "trading-terminal-devnet/chain-facts";
import type { PriceRecord } from "./pools.ts";
import { type EvmNode, recordEvm } from "./record-evm.ts";
import { recordSol, type SolNode } from "./record-sol.ts";

/** Prices of all chains as their nodes showed them, oldest first. */
export type PriceRecords = AsyncDisposable & {
  of(chain: ChainName): readonly PriceRecord[];
  /** Forgets what sol has shown, once the chain has started over. */
  forgetSol(): void;
};

/** Milliseconds between two looks at a chain. */
const everyMs = 250;

/** Records the state of all pools in each block until disposed. */
export function recordPrices(nodes: readonly EvmNode[], sol: SolNode): PriceRecords {
  const records = new Map<ChainName, PriceRecord[]>();
  const ending = new AbortController();
  const listOf = (chain: ChainName) => {
    const own = records.get(chain) ?? [];
    records.set(chain, own);
    return own;
  };
  const looks = [...nodes.map((node) => recordEvm(node, listOf(node.chain))), recordSol(sol, listOf("sol"))];
  const recording = looks.map(async (look) => {
    while (!ending.signal.aborted) {
      // Ignores errors, because the runner may be down. The judge knows nothing of times without records.
      await look().catch(() => {});
      await pause(everyMs);
    }
  });
  return {
    of: listOf,
    forgetSol: () => void listOf("sol").splice(0),
    async [Symbol.asyncDispose]() {
      ending.abort();
      await Promise.all(recording);
    },
  };
}
