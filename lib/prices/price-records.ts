import { atMost } from "../table/step.ts";
import { readItem, type Table } from "../table/table.ts";
import { write } from "../table/write.ts";
import { pricesKey } from "./item-keys.ts";
import type { Price } from "./price.ts";

/** The latest prices, with the lease of the run that saved them. Runs with a smaller lease may no longer save. */
export type PricesItem = { prices: Price[]; lease: string; updatedAt: string };

/**
 * Saves the latest prices.
 *
 * @param lease text that sorts after the leases of earlier runs.
 * @returns false, without writing, if a run with a greater lease has saved prices.
 */
export async function savePrices(
  table: Table,
  prices: readonly Price[],
  lease: string,
  now = new Date(),
): Promise<boolean> {
  return write(table, {
    kind: "change",
    key: pricesKey,
    set: { prices, lease, updatedAt: now.toISOString() },
    when: ["absent", { lease: atMost(lease) }],
  });
}

/** Reads the latest prices consistently. Empty before the first save. */
export async function readPrices(table: Table): Promise<Price[]> {
  const item = await readItem<PricesItem>(table, pricesKey);
  return item?.prices ?? [];
}
