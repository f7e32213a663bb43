import type { TradingChain } from "../../core/chain-facts.ts";
import { getItems } from "../../table/batch-get.ts";
import type { Key } from "../../table/keys.ts";
import { initially } from "../../table/step.ts";
import type { Table } from "../../table/table.ts";
import { write } from "../../table/write.ts";
import { keyText } from "./found-items.ts";
import { earlierStopKey, tradingStopKey } from "./keys.ts";

/** An operator's stop of a chain. While it exists, no order is placed or signed on the chain. */
type Stop = { stoppedAt: string };

/**
 * Writes a stop under both keys, because earlier builds read only the second one. So the stop stays in force during a
 * deployment and a rollback.
 */
const stopKeysOf = (chain: TradingChain): Key[] => [tradingStopKey(chain), earlierStopKey(chain)];

/** Reads the times at which chains were stopped. Chains that are not stopped have no entry. */
export async function readStops(
  table: Table,
  chains: readonly TradingChain[],
): Promise<Map<TradingChain, string>> {
  const items = await getItems<Stop>(table, chains.flatMap(stopKeysOf));
  const stopped = new Map(items.map(({ stoppedAt, ...key }) => [keyText(key), stoppedAt]));
  return new Map(
    chains.flatMap((chain) => {
      const [first] = stopKeysOf(chain)
        .flatMap((key) => stopped.get(keyText(key)) ?? [])
        .toSorted();
      return first === undefined ? [] : [[chain, first] as const];
    }),
  );
}

/** Stops all of these chains at once. A chain that is already stopped keeps the time of its first stop. */
export async function stopTrading(table: Table, chains: readonly TradingChain[], now: Date): Promise<void> {
  const set = { stoppedAt: initially(now.toISOString()) };
  await write(
    table,
    chains.flatMap(stopKeysOf).map((key) => ({ kind: "change", key, set })),
  );
}

export async function startTrading(table: Table, chains: readonly TradingChain[]): Promise<void> {
  await write(
    table,
    chains.flatMap(stopKeysOf).map((key) => ({ kind: "remove", key })),
  );
}
