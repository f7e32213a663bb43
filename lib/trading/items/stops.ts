import { getItems } from "../../table/batch-get.ts";
import { initially } from "../../table/step.ts";
import type { Item, Table } from "../../table/table.ts";
import { write } from "../../table/write.ts";
import type { TradingChain } from "../core/trading-chain.ts";
import { tradingStopKey } from "./keys.ts";

/** An operator's stop of a chain. While it exists, nothing is placed or signed there. */
type Stop = { stoppedAt: string };

/** Reads the times at which chains were stopped. Chains that trade have no entry. */
export async function readStops(
  table: Table,
  chains: readonly TradingChain[],
): Promise<Map<TradingChain, string>> {
  const items = await getItems<Stop>(table, chains.map(tradingStopKey));
  const stopped = new Map(items.map(({ PK, stoppedAt }: Item<Stop>) => [PK, stoppedAt]));
  return new Map(
    chains.flatMap((chain) => {
      const stoppedAt = stopped.get(tradingStopKey(chain).PK);
      return stoppedAt === undefined ? [] : [[chain, stoppedAt] as const];
    }),
  );
}

/** Stops all of these chains at once. Chains that are stopped already keep their time. */
export async function stopTrading(table: Table, chains: readonly TradingChain[], now: Date): Promise<void> {
  const set = { stoppedAt: initially(now.toISOString()) };
  await write(
    table,
    chains.map((chain) => ({ kind: "change", key: tradingStopKey(chain), set })),
  );
}

export async function startTrading(table: Table, chains: readonly TradingChain[]): Promise<void> {
  await write(
    table,
    chains.map((chain) => ({ kind: "remove", key: tradingStopKey(chain) })),
  );
}
