import { type RandomTrader, tradeInRounds } from "trading-terminal-devnet/random-rounds";
import type { EvmChain } from "../../core/chain-facts.ts";
import type { Table } from "../../table/table.ts";
import { hasReader } from "../../trading/items/reader-leases.ts";
import { readTriggers } from "../../trading/items/triggers.ts";

/** Interval between two looks at the table. It is shorter than the time between blocks. */
const everyMs = 500;

const rowsMs = 2000;

/**
 * Makes blocks on chains with resting orders. Otherwise a chain would rest, and no order fires because of an old block.
 * Reads rows only while a run watches them.
 */
export function keepAwake({
  table,
  chains,
  onFailure,
}: {
  table: Table;
  chains: readonly { chain: EvmChain; wake(): void }[];
  /** Called once for each outage. */
  onFailure: (error: unknown) => void;
}): RandomTrader {
  let known = { atMs: 0, busy: new Set<EvmChain>() };
  return tradeInRounds({ everyMs, random: () => 0, onFailure }, async () => {
    if (Date.now() - known.atMs >= rowsMs) {
      const isWatched = await hasReader(table, "triggers");
      const rows = isWatched ? await Promise.all(chains.map(({ chain }) => readTriggers(table, chain))) : [];
      const busy = chains.flatMap(({ chain }, index) => ((rows[index]?.length ?? 0) > 0 ? [chain] : []));
      known = { atMs: Date.now(), busy: new Set(busy) };
    }
    for (const local of chains) if (known.busy.has(local.chain)) local.wake();
  });
}
