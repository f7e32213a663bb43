import type { Price } from "../../../lib/prices/price.ts";
import { type FeedRun, savePrices, takeFeed } from "../../../lib/prices/price-records.ts";
import type { Table } from "../../../lib/table/table.ts";

const startedAt = new Date().toISOString();

/** A run that has just started. */
export const runOf = (lease: string, after?: string): FeedRun => ({ lease, startedAt, after });

/** Saves prices like a live run of feedPrices. */
export async function holdPrices(table: Table, prices: readonly Price[], lease = "l1"): Promise<void> {
  const run = runOf(lease);
  await takeFeed(table, run);
  if (!(await savePrices(table, run, prices))) throw new Error("Another run has the feed");
}
