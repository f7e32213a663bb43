import type { Network } from "../../core/network.ts";
import type { Trigger } from "../../orders/resting/stored.ts";
import { queryRange, type Table } from "../../table/table.ts";
import { contentOf } from "./items.ts";
import { triggerParts, triggersOf } from "./keys.ts";

/** Reads the triggers of all resting orders of a chain. Orders of a lost table have ended, because no mandate outlives it. */
export async function readTriggers(table: Table, chain: Network): Promise<Trigger[]> {
  const parts = Array.from({ length: triggerParts }, (_, part) => triggersOf(chain, part));
  const items = await Promise.all(parts.map((range) => queryRange<object>(table, range)));
  return items
    .flat()
    .map((item) => contentOf("trigger", item))
    .map((row) => (row.tableId === table.id ? row : { ...row, state: "ended" }));
}
