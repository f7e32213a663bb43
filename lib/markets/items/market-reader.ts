import type { Table } from "../../table/table.ts";
import { readReaderLease } from "../../trading/items/reader-leases.ts";
import { isRead } from "../../trading/procedures/reader-lease.ts";

/** Starts a run of readMarkets without waiting for it. */
export type StartReader = (start: Record<never, never>) => Promise<void>;

/** True if a run of readMarkets will see everything written until now. */
export const areMarketsRead = async (table: Table): Promise<boolean> =>
  isRead(await readReaderLease(table, "markets"), Date.now());

/**
 * Starts a run of readMarkets unless there is one. Write the need for it first: a run that ends notes its end before it
 * looks for needs a last time, so either that look sees the need, or this call sees the end.
 */
export async function ensureMarketReader(table: Table, startReader: StartReader): Promise<void> {
  if (!(await areMarketsRead(table))) await startReader({});
}
